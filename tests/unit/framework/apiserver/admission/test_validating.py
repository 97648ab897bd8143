from typing import Any

import pytest

from framework.apiserver.admission import CallFailed
from framework.errors import ApiError, ServerError
from framework.runtime import ThreadRuntime
from tests.unit.framework.apiserver.admission.fakes import (
    NAMESPACE,
    FakeCaller,
    a_request,
    a_webhook,
    admission_with,
    an_admission,
    mutating,
    patch,
    sets,
    validating,
)
from tests.unit.framework.apiserver.auth.fakes import FakeReader


def test_the_first_objection_in_the_order_of_the_webhooks_is_raised() -> None:
    answers = {name: {"allowed": False, "status": {"message": name}} for name in ("two", "three")}
    caller = FakeCaller(**answers)

    with pytest.raises(ApiError) as denial:
        admission_with(caller, validating(a_webhook("one"), a_webhook("two"), a_webhook("three"))).validate(a_request())

    assert str(denial.value) == 'admission webhook "two.example.com" denied the request: two'
    assert sorted(caller.names) == ["one", "three", "two"]


def test_webhooks_are_asked_at_the_same_time() -> None:
    # Each answers only when the other has been asked.
    runtime = ThreadRuntime()
    asked = {"one": runtime.event(), "two": runtime.event()}

    def answer(mine: str, other: str) -> Any:
        def wait(_review: object) -> dict[str, bool]:
            asked[mine].set()
            return {"allowed": asked[other].wait(30)}

        return wait

    caller = FakeCaller(one=answer("one", "two"), two=answer("two", "one"))

    admission_with(caller, validating(a_webhook("one"), a_webhook("two"))).validate(a_request())

    assert sorted(caller.names) == ["one", "two"]


def test_a_denial_comes_with_the_warnings_of_all() -> None:
    request = a_request()
    caller = FakeCaller(one={"allowed": True, "warnings": ["a"]}, two={"allowed": False, "warnings": ["b"]})

    with pytest.raises(ApiError):
        admission_with(caller, validating(a_webhook("one"), a_webhook("two"))).validate(request)

    assert request.warnings == ["a", "b"]


def test_warnings_of_all_webhooks_are_gathered_in_their_order() -> None:
    request = a_request()
    caller = FakeCaller(
        m={"allowed": True, "warnings": ["mutating"]},
        one={"allowed": True, "warnings": ["a", "b"]},
        two={"allowed": True, "warnings": ["c"]},
    )
    admission = admission_with(caller, mutating(a_webhook("m")), validating(a_webhook("one"), a_webhook("two")))

    admission.mutate(request)
    admission.validate(request)

    assert request.warnings == ["mutating", "a", "b", "c"]


def test_a_webhook_that_cannot_be_reached_refuses_or_is_ignored() -> None:
    failing = FakeCaller(v=CallFailed("Post"))

    with pytest.raises(ServerError) as failure:
        admission_with(failing, validating(a_webhook("v"))).validate(a_request())

    assert str(failure.value) == (
        'Internal error occurred: failed calling webhook "v.example.com": failed to call webhook: Post'
    )
    admission_with(failing, validating(a_webhook("v", failurePolicy="Ignore"))).validate(a_request())


def test_a_validating_webhook_may_not_patch() -> None:
    with pytest.raises(ServerError) as failure:
        admission_with(FakeCaller(v=patch(sets("a", 1))), validating(a_webhook("v"))).validate(a_request())

    assert str(failure.value).endswith("validating webhook may not return response.patch")


def test_a_mistake_of_ours_is_not_swallowed() -> None:
    def mistake(_review: object) -> dict[str, bool]:
        raise ZeroDivisionError

    caller = FakeCaller(two=mistake)

    with pytest.raises(ZeroDivisionError):
        admission_with(caller, validating(a_webhook("one"), a_webhook("two"))).validate(a_request())


def test_configurations_count_as_soon_as_they_are_stored_and_are_read_only_then() -> None:
    reader = FakeReader(NAMESPACE)
    admission = an_admission(reader, FakeCaller())
    before = admission.has_webhooks()
    reader.put(validating(a_webhook("v")))
    after = admission.has_webhooks()
    reader.lists = 0

    again = admission.has_webhooks()

    assert (before, after, again, reader.lists) == (False, True, True, 0)
