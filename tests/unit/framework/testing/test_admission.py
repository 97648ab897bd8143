import pytest

from apis.meta import GroupVersionKind, ObjectMeta, ResourceType, Unstructured
from framework.testing.admission import admission_request
from tests.unit.framework.webhooks.widgets import Widget, WidgetSpec

SMALL = Widget(metadata=ObjectMeta(name="w", namespace="default"), spec=WidgetSpec(size=2))
LARGE = Widget(metadata=ObjectMeta(name="w", namespace="default"), spec=WidgetSpec(size=9))


def test_objects_decide_the_operation() -> None:
    create, update, delete = admission_request(SMALL), admission_request(LARGE, SMALL), admission_request(old=SMALL)

    assert [each.operation for each in (create, update, delete)] == ["CREATE", "UPDATE", "DELETE"]
    assert (create.new, create.old) == (SMALL, None)
    assert (update.new, update.old) == (LARGE, SMALL)
    assert (delete.new, delete.object) == (None, SMALL)


def test_who_asks_is_told() -> None:
    request = admission_request(SMALL, user="alice", groups=("devs",), dry_run=True)

    assert (request.user.username, request.user.groups, request.dry_run) == ("alice", ["devs"], True)
    assert str(request.key) == "default/w"


def test_an_untyped_object_comes_with_its_kind() -> None:
    widgets = ResourceType(GroupVersionKind("shop.example.com", "v1", "Widget"), "widgets")
    content = {"metadata": {"name": "w"}, "spec": {"size": 1}}

    request = admission_request(Unstructured(content=content), kind=widgets)

    assert request.object.content["spec"] == {"size": 1}


def test_no_object_is_no_request() -> None:
    with pytest.raises(ValueError, match="give the new object"):
        admission_request()
