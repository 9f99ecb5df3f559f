"""The order of a process agrees with a plain token game over random models, sound and unsound ones."""

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.unit.flow.flow_models import blocks, graphs, model, short, text_of
from tests.unit.flow.token_game import TokenGame, TooLargeError

from clew.flow import ProcessFlow
from clew.graph.process_view import ProcessView

SOUND = blocks(("xor", "and", "or", "events", "sub", "loop", "watched"), 7)
REPEATING = blocks(("xor", "and", "sub", "stays"), 5)
many = settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def agree_on_preconditions(view: ProcessView) -> None:
    try:
        expected = TokenGame(view).preconditions()
    except TooLargeError:
        assume(False)
    flow = ProcessFlow(view)
    for activity, needed in expected.items():
        assert short(flow.preconditions(activity)) == short(needed), activity
    for activity in view.activities:
        assert (activity.id in expected) is flow.can_start(activity.id)


def agree_along_a_walk(view: ProcessView, choices: list[int], *, exactly: bool = True) -> None:
    game, flow = TokenGame(view), ProcessFlow(view)
    done: list[str] = []
    try:
        states = game.closed(set(game.begin()))
        for choice in choices:
            opened = game.open_tasks(states)
            answer = flow.enabled(done)
            assert answer.fits
            assert set(opened) <= set(answer.activities), done
            if exactly:
                assert set(opened) == set(answer.activities), done
            if not opened:
                return
            step = sorted(opened)[choice % len(opened)]
            done.append(step)
            states = game.closed(opened[step])
    except TooLargeError:
        assume(bool(done))


@many
@given(SOUND)
def test_preconditions_of_structured_models_are_those_of_the_token_game(block: object) -> None:
    agree_on_preconditions(model(text_of(block)))


@many
@given(graphs())
def test_preconditions_of_unstructured_models_are_those_of_the_token_game(text: str) -> None:
    agree_on_preconditions(model(text))


@many
@given(SOUND, st.lists(st.integers(0, 5), min_size=1, max_size=12))
def test_what_is_enabled_along_a_walk_is_what_the_token_game_opens(block: object, choices: list[int]) -> None:
    agree_along_a_walk(model(text_of(block)), choices)


@many
@given(graphs(), st.lists(st.integers(0, 5), min_size=1, max_size=10))
def test_what_is_enabled_in_unstructured_models_is_what_the_token_game_opens(text: str, choices: list[int]) -> None:
    agree_along_a_walk(model(text), choices)


@many
@given(REPEATING)
def test_preconditions_hold_where_events_do_not_interrupt(block: object) -> None:
    agree_on_preconditions(model(text_of(block)))


@many
@given(REPEATING, st.lists(st.integers(0, 5), min_size=1, max_size=10))
def test_nothing_that_a_repeating_event_opens_is_refused(block: object, choices: list[int]) -> None:
    agree_along_a_walk(model(text_of(block)), choices, exactly=False)
