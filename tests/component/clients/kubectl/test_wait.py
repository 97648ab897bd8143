"""kubectl get --watch and kubectl wait."""

import json

from tests.component.clients.kubectl.test_apply import a_widget
from tests.component.program import Program


def set_status(kubectl: Program, **status: object) -> None:
    kubectl("patch", "wd/one", "--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))


def test_watch_shows_what_is_there_and_then_every_change(kubectl: Program) -> None:
    kubectl("create", "-f", "-", stdin=a_widget(replicas=1))

    with kubectl.lines("get", "wd", "--watch", "--no-headers", "--output-watch-events") as lines:
        first = lines.readline()
        kubectl("scale", "wd/one", "--replicas=2")
        second = lines.readline()
        kubectl("delete", "wd/one")
        third = lines.readline()

    assert [line.split()[:3] for line in (first, second, third)] == [
        ["ADDED", "one", "1"],
        ["MODIFIED", "one", "2"],
        ["DELETED", "one", "2"],
    ]


def test_watch_of_one_object_by_name_shows_an_expression_of_it(kubectl: Program) -> None:
    kubectl("create", "-f", "-", stdin=a_widget(color="red"))

    with kubectl.lines("get", "wd/one", "--watch", "-o", "jsonpath={.spec.color}{'\\n'}") as lines:
        first = lines.readline()
        kubectl("patch", "wd/one", "--type=merge", "-p", '{"spec":{"color":"blue"}}')
        second = lines.readline()

    assert (first, second) == ("red\n", "blue\n")


def test_wait_for_a_condition_returns_when_it_is_there(kubectl: Program) -> None:
    kubectl("create", "-f", "-", stdin=a_widget(color="red"))

    with kubectl.lines("wait", "wd/one", "--for=condition=Ready", "--timeout=60s") as lines:
        set_status(kubectl, conditions=[{"type": "Ready", "status": "False"}])
        set_status(kubectl, conditions=[{"type": "Ready", "status": "True"}])
        said = lines.read()

    assert said == "widget.clients.example/one condition met\n"


def test_wait_for_a_value_returns_when_it_is_there(kubectl: Program) -> None:
    kubectl("create", "-f", "-", stdin=a_widget(color="red"))

    with kubectl.lines("wait", "wd/one", "--for=jsonpath={.status.phase}=Ready", "--timeout=60s") as lines:
        set_status(kubectl, phase="Ready")
        said = lines.read()

    assert said == "widget.clients.example/one condition met\n"


def test_wait_for_the_deletion_returns_when_the_last_finalizer_goes(kubectl: Program) -> None:
    kubectl("create", "-f", "-", stdin=a_widget(color="red"))
    kubectl("patch", "wd/one", "--type=merge", "-p", '{"metadata":{"finalizers":["clients.example/keep"]}}')
    kubectl("delete", "wd/one", "--wait=false")

    with kubectl.lines("wait", "wd/one", "--for=delete", "--timeout=60s") as lines:
        kubectl("patch", "wd/one", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
        said = lines.read()

    # Nothing is said if it was gone before kubectl looked.
    assert said in {"", "widget.clients.example/one condition met\n"}
    assert kubectl("get", "wd", "-o", "name") == ""


def test_wait_for_the_creation(kubectl: Program) -> None:
    with kubectl.lines("wait", "wd/one", "--for=create", "--timeout=60s") as lines:
        kubectl("create", "-f", "-", stdin=a_widget(color="red"))
        said = lines.read()

    assert said == "widget.clients.example/one condition met\n"


def test_wait_gives_up_after_its_time(kubectl: Program) -> None:
    kubectl("create", "-f", "-", stdin=a_widget(color="red"))

    said = kubectl("wait", "wd/one", "--for=condition=Ready", "--timeout=1500ms", code=1)

    assert "timed out waiting for the condition on widgets/one" in said


def test_delete_waits_for_the_end(kubectl: Program) -> None:
    kubectl("create", "-f", "-", stdin=a_widget(color="red"))
    kubectl("patch", "wd/one", "--type=merge", "-p", '{"metadata":{"finalizers":["clients.example/keep"]}}')

    said = kubectl("delete", "wd/one", "--timeout=1500ms", code=1)

    assert "timed out waiting for the condition on widgets/one" in said
    assert kubectl("get", "wd/one", "-o", "jsonpath={.metadata.deletionTimestamp}") != ""
    kubectl("patch", "wd/one", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
