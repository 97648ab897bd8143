import pytest

from framework.runtime import Deadline, ThreadRuntime, current_deadline, deadline_scope

SOON, LATE = Deadline(5.0, 5.0), Deadline(50.0, 50.0)


def test_a_deadline_holds_inside_its_scope_only() -> None:
    with deadline_scope(SOON):
        inside = current_deadline()

    assert inside == SOON
    assert current_deadline() is None


def test_a_scope_that_fails_ends_as_well() -> None:
    with pytest.raises(ValueError, match="no"), deadline_scope(SOON):
        raise ValueError("no")

    assert current_deadline() is None


@pytest.mark.parametrize(("outer", "inner"), [(SOON, LATE), (LATE, SOON), (SOON, None), (None, SOON)])
def test_of_two_scopes_the_earlier_deadline_holds(outer: Deadline | None, inner: Deadline | None) -> None:
    with deadline_scope(outer), deadline_scope(inner):
        assert current_deadline() == SOON


def test_the_outer_deadline_is_back_after_the_inner_scope() -> None:
    with deadline_scope(LATE):
        with deadline_scope(SOON):
            pass

        assert current_deadline() == LATE


def test_another_task_has_no_deadline() -> None:
    seen: list[Deadline | None] = []

    with deadline_scope(SOON):
        ThreadRuntime().spawn("other", lambda: seen.append(current_deadline())).join(5)

    assert seen == [None]
