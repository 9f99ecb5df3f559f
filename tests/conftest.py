"""What all tests share: the folder of third-party files, where there is one."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Deadlines are timed assertions; how fast a thing is, is measured by the benchmark and not by a test.
settings.register_profile("clew", deadline=None, print_blob=True)
settings.load_profile("clew")


@pytest.fixture(scope="session")
def test_data() -> Path:
    """Gives the folder of real third-party files, or skips the test where CLEW_TEST_DATA does not name one."""
    folder = os.environ.get("CLEW_TEST_DATA", "")
    if not folder:
        pytest.skip("CLEW_TEST_DATA is not set: no third-party files here")
    return Path(folder)
