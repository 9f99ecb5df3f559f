"""Clew grounds LLM agents in business processes.

It reads what a company already publishes about its services and processes into one typed property graph, and gives any
agent the right endpoint, the valid payload, the allowed code and the next step. Importing this package does nothing and
loads nothing; `clew.workspace.Workspace` is the front door of the library, `clew` the one of the command line.
"""

__all__ = ["__version__"]

__version__ = "0.1.0"
