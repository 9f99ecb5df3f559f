"""The doors: command line (later MCP, HTTP, web). They parse, call one thing of `clew.workspace` or `clew.tools`, print.

Above: people and programs. Below: everything else. Not their business: any rule; a door that decides is a defect.
"""
