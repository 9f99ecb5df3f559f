"""The doors: the command line. They parse, call one thing of `clew.workspace`, `clew.agent` or `clew.tools`, print.

Above: people and programs. Below: everything else. Not their business: any rule; a door that decides is a defect.
"""
