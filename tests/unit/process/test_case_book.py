"""Cases: opened, shown and closed by their owner, and by nobody else."""

import re

import pytest
from tests.unit.process.process_world import World

from clew.domain.cases import Evidence
from clew.domain.errors import StorageError, UnknownReference
from clew.process import CaseBook
from clew.storage import SqliteDatabase


def test_a_case_is_shown_as_it_was_opened() -> None:
    world = World()
    case = world.open("advise")
    assert world.book.show(case.handle, principal="ann") == case
    assert (case.process, case.mode, case.state, case.opened_at) == ("p", "advise", "open", "2026-03-01T00:00:00.000Z")


def test_another_principal_is_told_what_he_is_told_of_no_case_at_all() -> None:
    world = World()
    case = world.open()
    said: list[str] = []
    for handle in (case.handle, "case-9"):
        for act in (world.book.show, world.book.close):
            with pytest.raises(UnknownReference) as told:
                act(handle, principal="bob")
            said.append(re.sub(r"'[^']*'", "?", str(told.value)))
        with pytest.raises(UnknownReference):
            world.book.add(handle, Evidence(activity="a", by="write", target="t"), principal="bob")
    assert len(set(said)) == 1
    assert world.book.list(principal="bob") == ()
    assert world.book.show(case.handle, principal="ann").evidence == ()


def test_another_tenant_does_not_see_the_case() -> None:
    world = World()
    case = world.open()
    other = CaseBook(world.database, clock=lambda: pytest.fail("no time is needed"), new_handle=str, tenant="other")
    with pytest.raises(UnknownReference):
        other.show(case.handle, principal="ann")


def test_a_closed_case_stays_and_takes_no_evidence() -> None:
    world = World()
    case = world.book.close(world.open().handle, principal="ann")
    assert case.state == "closed"
    assert world.book.list(principal="ann", state="open") == ()
    assert [one.handle for one in world.book.list(principal="ann")] == [case.handle]
    with pytest.raises(UnknownReference):
        world.book.add(case.handle, Evidence(activity="a", by="write", target="t"), principal="ann")


def test_evidence_comes_back_in_its_order_and_a_receipt_counts_once() -> None:
    world = World()
    case = world.open()
    first = Evidence(activity="a", by="write", target="t", receipt="r/1", values={"Id": ["1"]})
    world.book.add(case.handle, first, principal="ann")
    world.book.add(case.handle, first, principal="ann")
    world.book.state(case.handle, "b", principal="ann")
    found = world.book.show(case.handle, principal="ann").evidence
    assert [(one.activity, one.by, one.at) for one in found] == [
        ("a", "write", "2026-03-01T00:00:01.000Z"),
        ("b", "statement", "2026-03-01T00:00:02.000Z"),
    ]
    assert found[0].values == {"Id": ["1"]}


def test_the_mode_can_be_changed_to_one_that_there_is() -> None:
    world = World()
    case = world.open()
    assert world.book.set_mode(case.handle, "off", principal="ann").mode == "off"
    with pytest.raises(ValueError, match="off, advise, enforce"):
        world.book.set_mode(case.handle, "strict", principal="ann")
    with pytest.raises(ValueError, match="strict"):
        world.open("strict")


def test_a_handle_that_is_taken_opens_nothing() -> None:
    book = CaseBook(SqliteDatabase(":memory:"), clock=World().book._clock, new_handle=lambda: "same")
    book.open("p", principal="ann")
    with pytest.raises(StorageError):
        book.open("q", principal="bob")
    assert book.list(principal="bob") == ()
