"""Evaluation: experiments that run end to end and say what was measured on what.

Above: interfaces. Below: workspace, retrieval, domain. Not its business: making anything better; it only measures.
"""

from clew.evaluation.metrics import mean_reciprocal_rank, recall_at
from clew.evaluation.queries import Gold, Query, read_queries
from clew.evaluation.retrieval import RetrievalReport, Row, run_retrieval

__all__ = [
    "Gold",
    "Query",
    "RetrievalReport",
    "Row",
    "mean_reciprocal_rank",
    "read_queries",
    "recall_at",
    "run_retrieval",
]
