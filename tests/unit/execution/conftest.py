"""A fresh site and the calls of one plan for every test."""

import pytest
from tests.unit.execution.execution_site import APPROVAL, CUSTOMER, JOB, REQUISITION, Site

from clew.domain.requests import Call


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def calls() -> list[Call]:
    """A requisition, its approval, a customer, and a job that names what came before."""
    return [REQUISITION, APPROVAL, CUSTOMER, JOB]
