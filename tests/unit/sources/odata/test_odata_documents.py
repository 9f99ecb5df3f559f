"""CSDL texts in tests/fixtures/odata give the facts that stand beside them."""

import pytest
import yaml
from tests.unit.sources.odata.odata_facts import FIXTURES, describe, read


@pytest.mark.parametrize("name", sorted(path.stem for path in FIXTURES.glob("*.xml")))
def test_a_document_gives_the_facts_written_beside_it(name: str) -> None:
    facts = read((FIXTURES / f"{name}.xml").read_bytes(), document=f"{name}.xml")
    expected = yaml.safe_load((FIXTURES / f"{name}.facts.yaml").read_text(encoding="utf-8"))
    assert describe(facts) == expected
