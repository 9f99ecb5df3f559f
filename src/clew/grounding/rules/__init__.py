"""The rules of the validator, one function a module, in the order in which they look at a request.

Above: `clew.grounding.check`, which runs them. Below: the subject, the tables, the protocol's grammar.
Not their business: repairing (they only say what the one safe repair would be), deciding what may happen when.
"""

from clew.grounding.rules import certain, codes, facets, letter_case, types, writable
from clew.grounding.rules.address import check_address
from clew.grounding.rules.bodies import check_body
from clew.grounding.rules.headers import check_headers
from clew.grounding.rules.keys import check_keys
from clew.grounding.rules.links import check_links
from clew.grounding.rules.methods import check_method
from clew.grounding.rules.operations import check_body_parameters, check_operation
from clew.grounding.rules.options import check_query
from clew.grounding.rules.payload import check_payload
from clew.grounding.rules.required import check_required
from clew.grounding.rules.units import check_units
from clew.grounding.subject import Rule
from clew.grounding.tables import SlotRules

RULES: tuple[Rule, ...] = (
    check_address,
    check_method,
    check_keys,
    check_operation,
    check_headers,
    check_body,
    check_payload,
    check_body_parameters,
    check_required,
    check_units,
    check_links,
    check_query,
)
"""What is done to a request, in order; a rule that finds the way barred stops the rest."""

SLOT_RULES = SlotRules(
    reader=types.reader_of,
    standing=(writable.standing_of,),
    checks=(codes.check_of, facets.check_of, letter_case.check_of),
    certain=certain.certain_of,
)
"""What is done to each value of a body, in order: it is read as its type, then checked."""

__all__ = ["RULES", "SLOT_RULES"]
