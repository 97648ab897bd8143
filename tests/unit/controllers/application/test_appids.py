"""Several Applications with one appid."""

from datetime import UTC, datetime
from itertools import permutations

from apis.laf.application import Application, ApplicationSpec, ApplicationStatus, Phase
from apis.meta import Key, ObjectMeta
from controllers.application.appids import owner_of

MONDAY, TUESDAY = datetime(2026, 11, 16, tzinfo=UTC), datetime(2026, 11, 17, tzinfo=UTC)
SPEC = ApplicationSpec(appid="shop01", region="east", bundle_name="small", runtime_name="node18")


def an_application(
    name: str, created: datetime = MONDAY, phase: Phase | None = None, deleted: datetime | None = None
) -> Application:
    metadata = ObjectMeta(
        name=name, namespace="tenant", uid=f"uid-{name}", creation_timestamp=created, deletion_timestamp=deleted
    )
    return Application(metadata=metadata, spec=SPEC, status=ApplicationStatus(state=phase))


def owner(*candidates: Application, claimed_by: str = "") -> str:
    """The same whatever the order in which they are listed."""
    found = [owner_of(order, claimed_by) for order in permutations(candidates)]
    names = {None if each is None else each.key for each in found}
    assert len(names) == 1
    return (names.pop() or Key("", "nobody")).name


def test_the_oldest_has_it() -> None:
    assert owner(an_application("a", TUESDAY), an_application("b", MONDAY)) == "b"


def test_of_the_same_age_the_first_by_name_has_it() -> None:
    assert owner(an_application("b"), an_application("a"), an_application("c")) == "a"


def test_who_has_a_phase_has_it_before_who_is_older() -> None:
    assert owner(an_application("a", MONDAY), an_application("b", TUESDAY, Phase.INITIALIZING)) == "b"


def test_who_was_told_so_keeps_it_although_its_phase_is_not_written_yet() -> None:
    assert owner(an_application("a", MONDAY), an_application("b", TUESDAY), claimed_by="uid-b") == "b"


def test_who_is_gone_has_nothing() -> None:
    assert owner(an_application("a"), claimed_by="uid-of-another") == "a"
    assert owner() == "nobody"


def test_who_is_going_keeps_it_until_it_is_gone() -> None:
    going = an_application("b", TUESDAY, Phase.STOPPING, deleted=TUESDAY)

    assert owner(an_application("a", MONDAY), going) == "b"


def test_who_goes_before_it_began_is_passed_over() -> None:
    assert owner(an_application("a", MONDAY, deleted=TUESDAY), an_application("b", TUESDAY)) == "b"
    assert owner(an_application("a", MONDAY, deleted=TUESDAY)) == "nobody"
