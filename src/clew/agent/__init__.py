"""Agents: what turns a request in words into calls.

Above: evaluation, interfaces. Below: the tools and everything that they stand on. Not its business: whether a call is
right (grounding), may happen now (process, policy), or is carried out (execution).
"""
