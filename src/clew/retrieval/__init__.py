"""Retrieval: a request in words → ranked nodes, each with its reasons. One retriever a file; named recipes.

Above: tools, workspace, evaluation. Below: index, flow, graph, domain. Not its business: what a hit demands of a call.
"""

from clew.retrieval.recipes import RECIPES, make_retriever

__all__ = ["RECIPES", "make_retriever"]
