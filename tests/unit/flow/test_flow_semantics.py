"""The token semantics, construct by construct: models and answers are in tests/fixtures/flow."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.unit.flow.flow_models import bind, ids, model, short

from clew.flow import FlowLimits, ProcessFlow, enabled, neighbourhood, next_bound, positions, preconditions, soundness

FIXTURES = Path(__file__).parents[2] / "fixtures" / "flow"
CASES = yaml.safe_load((FIXTURES / "semantics.yaml").read_text(encoding="utf-8"))


def worded(found: dict[str, Any]) -> dict[str, set[str]]:
    """Gives names for node ids, and sets for tuples and for words."""
    split = {key: value.split() if isinstance(value, str) else value for key, value in found.items()}
    return {local(key): {local(one) for one in value} for key, value in split.items()}


def local(node_id: str) -> str:
    return node_id.rpartition("/")[2]


@pytest.mark.parametrize("case", CASES, ids=[case["title"] for case in CASES])
def test_what_comes_next(case: dict[str, Any]) -> None:
    flow = ProcessFlow(model(case["model"]))
    for question in case.get("questions", ()):
        answer = flow.enabled(ids(question["done"]), values=question.get("values", ()))
        assert answer.fits is question.get("fits", True), question
        assert answer.stuck_at == question.get("stuck_at", -1)
        if "next" in question:
            assert short(answer.activities) == set(question["next"].split()), question
        if "may_end" in question:
            assert answer.may_end is question["may_end"]
        if "alternatives" in question:
            assert worded(answer.alternatives) == worded(question["alternatives"])
        if "needs" in question:
            assert worded(answer.needs) == worded(question["needs"])


@pytest.mark.parametrize("case", CASES, ids=[case["title"] for case in CASES])
def test_what_must_come_before(case: dict[str, Any]) -> None:
    flow = ProcessFlow(model(case["model"]))
    for activity, before in case.get("before", {}).items():
        assert short(flow.preconditions(ids(activity)[0])) == set(before.split()), activity
    if "issues" in case:
        assert sorted(issue.code for issue in flow.issues) == sorted(case["issues"])


def test_the_next_bound_step_is_reached_past_unbound_ones() -> None:
    view = bind(
        model("start s; task a; task b; xor g; task c; task d; end e; s -> a -> b -> g -> c -> e; g -> d -> e"),
        "c",
        "d",
    )
    assert short(next_bound(view, []).activities) == {"c", "d"}
    assert short(enabled(view, []).activities) == {"a"}
    assert short(preconditions(view, ids("c")[0])) == {"a", "b"}


def test_a_called_process_is_followed_where_it_is_there() -> None:
    outer = model("start s; call k calls inner; task z; end e; s -> k -> z -> e")
    inner = model("start s; task a; task b; end e; s -> a -> b -> e", "inner")
    alone, joined = ProcessFlow(outer), ProcessFlow(outer, callee=lambda call: inner if call.calls == "inner" else None)
    assert short(alone.enabled([]).activities) == {"k"}
    assert [issue.code for issue in alone.issues] == ["flow-call-unresolved"]
    assert joined.enabled(ids("a", "inner")).activities == ("bpmn:inner/b",)
    assert joined.preconditions(ids("z")[0]) == {*ids("k"), *ids("a b", "inner")}


def test_a_process_that_calls_itself_is_one_step_there() -> None:
    view = model("start s; task a; call k calls p; end e; s -> a -> k -> e")
    flow = ProcessFlow(view, callee=lambda _: view)
    assert short(flow.enabled(ids("a")).activities) == {"k"}
    assert "flow-call-opaque" in {issue.code for issue in flow.issues}


def test_what_the_bounds_leave_open_is_said_and_not_claimed() -> None:
    """Ten branches of three steps have over a million states; what a parallel join needs is certain all the same."""
    branches = "; ".join(f"f -> a{n} -> b{n} -> c{n} -> j" for n in range(10))
    nodes = "; ".join(f"task {letter}{n}" for n in range(10) for letter in "abc")
    wide = f"start s; and f; and j; task z; end e; {nodes}; s -> f; {branches}; j -> z -> e"
    flow = ProcessFlow(model(wide), limits=FlowLimits(markings=500))
    assert "flow-bounds" in {issue.code for issue in flow.issues}
    assert len(flow.preconditions(ids("z")[0])) == 30
    assert short(flow.preconditions(ids("b3")[0])) == {"a3"}
    assert flow.undecided(ids("z")[0]) == frozenset()

    inclusive = wide.replace("and f", "or f").replace("and j", "or j")
    flow = ProcessFlow(model(inclusive), limits=FlowLimits(markings=500))
    assert flow.preconditions(ids("z")[0]) == frozenset()
    assert len(flow.undecided(ids("z")[0])) == 30


def test_positions_follow_the_flow_and_break_loops() -> None:
    view = model(
        """
        end e; task z; task fix; task a; xor m; start s; sub p; task i in p; task j in p; start si in p; xor g
        s -> a -> m -> p -> g -> z -> e; g -> fix -> m; si -> i -> j
        """
    )
    order = positions(view)
    assert [name for name in sorted(order, key=lambda one: (order[one], one)) if name != ids("p")[0]] == ids(
        "a i j z fix"
    )
    assert order[ids("p")[0]] == order[ids("i")[0]]


def test_the_neighbourhood_counts_activities_in_both_directions() -> None:
    view = model(
        """
        start s; task a; task b; xor g; task c; task d; xor m; task z; end e; boundary late on b; task remind
        s -> a -> b -> g -> c -> m -> z -> e; g -> d -> m; late -> remind -> e
        """
    )
    near = {
        next(iter(short([one.activity]))): (one.hops, one.direction, one.branch)
        for one in neighbourhood(view, ids("b")[0], 2)
    }
    flows = {edge.target: edge.key for edge in view.outgoing[ids("g")[0]]}
    assert near == {
        "a": (1, "before", ""),
        "c": (1, "after", flows[ids("c")[0]]),
        "d": (1, "after", flows[ids("d")[0]]),
        "remind": (1, "after", ids("late")[0]),
        "z": (2, "after", near["z"][2]),
    }
    assert near["z"][2] in (near["c"][2], near["d"][2])


def test_a_model_with_a_defect_is_not_enforceable() -> None:
    view = model("start s; task a; end e; s -> a -> e")
    assert ProcessFlow(view).is_enforceable
    broken = type(view.process)(id="bpmn:p", process="p", defects=("bpmn-dangling-reference",))
    view.process = broken
    assert not ProcessFlow(view).is_enforceable
    assert "bpmn-dangling-reference" in str(soundness(view)[0])


def test_steps_without_a_time_are_put_where_the_model_needs_them() -> None:
    flow = ProcessFlow(model("start s; task a; task b; task c; end e; s -> a -> b -> c -> e"))
    visible = ids("a b c")
    assert flow.arrange(ids("b"), ids("a"), visible=visible) == [1, 0]
    assert flow.arrange(ids("b a"), (), visible=visible) is None
    assert flow.arrange(ids("a"), ids("c b"), visible=visible) == [0, 2, 1]
    assert flow.arrange(ids("a"), ids("c"), visible=visible) == [0]
    assert flow.still_possible(ids("a b"), visible=visible) == {*ids("c")}
