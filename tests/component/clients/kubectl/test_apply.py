"""kubectl apply, create, replace, diff."""

import json
from pathlib import Path

from tests.component.clients.conftest import NAMESPACED, manifest
from tests.component.conftest import CRDS
from tests.component.program import Program

FILES = tuple(word for path in NAMESPACED for word in ("-f", path))
# kubectl finds a difference each time: of what it sends and what is stored, or of types it patches by other rules.
ALWAYS_CONFIGURED = {"secret/password", "pod/alone", "poddisruptionbudget.policy/web"}
WIDGET = {"apiVersion": "clients.example/v1", "kind": "Widget", "metadata": {"name": "one"}}


def a_widget(**spec: object) -> str:
    return json.dumps({**WIDGET, "spec": spec})


def outcomes(output: str) -> dict[str, str]:
    """What happened to each object."""
    return {line.split()[0]: line.split()[1] for line in output.splitlines()}


def test_definitions_of_this_repository_are_applied_and_established(kubectl: Program) -> None:
    applied = kubectl("apply", "--server-side", "--field-manager=another", "--force-conflicts", "-f", str(CRDS))
    waited = kubectl("wait", "--for=condition=Established", "-f", str(CRDS))

    assert "requeststates.com.redhat.ecosystem.sample serverside-applied" in applied
    assert "requeststates.com.redhat.ecosystem.sample condition met" in waited


def test_samples_are_created_and_the_second_time_unchanged(kubectl: Program) -> None:
    first = outcomes(kubectl("apply", *FILES))
    second = outcomes(kubectl("apply", *FILES))

    assert len(first) == 20
    assert set(first.values()) == {"created"}
    assert {name for name, outcome in second.items() if outcome != "unchanged"} <= ALWAYS_CONFIGURED


def test_samples_are_applied_by_the_server_twice(kubectl: Program) -> None:
    first = outcomes(kubectl("apply", "--server-side", *FILES))
    before = kubectl("get", "wd,svc,cm,deploy", "-o", "jsonpath={.items[*].metadata.uid}")
    second = outcomes(kubectl("apply", "--server-side", *FILES))

    assert set(first.values()) == set(second.values()) == {"serverside-applied"}
    assert kubectl("get", "wd,svc,cm,deploy", "-o", "jsonpath={.items[*].metadata.uid}") == before


def test_field_that_is_no_longer_applied_is_removed_and_others_stay(kubectl: Program) -> None:
    kubectl("apply", "-f", "-", stdin=a_widget(color="red", parts=[{"name": "wheel"}]))
    kubectl("patch", "wd/one", "--type=merge", "-p", '{"spec":{"replicas":5}}')

    applied = kubectl("apply", "-f", "-", stdin=a_widget(parts=[{"name": "wheel"}]))

    assert outcomes(applied) == {"widget.clients.example/one": "configured"}
    assert json.loads(kubectl("get", "wd/one", "-o", "jsonpath={.spec}")) == {
        "parts": [{"name": "wheel"}],
        "replicas": 5,
    }


def test_container_that_is_no_longer_applied_is_removed_by_its_merge_key(kubectl: Program) -> None:
    deployment = json.loads(kubectl("create", "deployment", "web", "--image=a:1", "--dry-run=client", "-o", "json"))
    containers = deployment["spec"]["template"]["spec"]["containers"]
    containers.append({"name": "side", "image": "b:1"})
    kubectl("apply", "-f", "-", stdin=json.dumps(deployment))

    kubectl("apply", "-f", "-", stdin=json.dumps(deployment | {"spec": without_second_container(deployment["spec"])}))

    assert kubectl("get", "deploy/web", "-o", "jsonpath={.spec.template.spec.containers[*].name}") == "a"


def without_second_container(spec: dict[str, object]) -> dict[str, object]:
    copy: dict[str, object] = json.loads(json.dumps(spec))
    template = copy["template"]
    assert isinstance(template, dict)
    del template["spec"]["containers"][1]
    return copy


def test_conflict_of_two_managers_is_shown_and_can_be_forced(kubectl: Program) -> None:
    kubectl("apply", "--server-side", "--field-manager=first", "-f", "-", stdin=a_widget(color="red"))
    second = ("apply", "--server-side", "--field-manager=second", "-f", "-")

    refused = kubectl(*second, stdin=a_widget(color="blue"), code=1)
    kubectl(*second, "--force-conflicts", stdin=a_widget(color="blue"))

    assert 'Apply failed with 1 conflict: conflict with "first": .spec.color' in refused
    assert kubectl("get", "wd/one", "-o", "jsonpath={.spec.color}") == "blue"


def test_object_applied_by_the_client_goes_over_to_the_server(kubectl: Program) -> None:
    kubectl("apply", "-f", "-", stdin=a_widget(color="red", parts=[{"name": "wheel"}]))

    kubectl("apply", "--server-side", "-f", "-", stdin=a_widget(color="red"))

    assert json.loads(kubectl("get", "wd/one", "-o", "jsonpath={.spec}")) == {"color": "red", "replicas": 1}


def test_diff_tells_by_its_exit_code_whether_there_is_a_difference(kubectl: Program) -> None:
    kubectl("apply", "-f", "-", stdin=a_widget(color="red"))

    same = kubectl("diff", "-f", "-", stdin=a_widget(color="red"))
    different = kubectl("diff", "-f", "-", stdin=a_widget(color="blue"), code=1)
    by_server = kubectl("diff", "--server-side", "--force-conflicts", "-f", "-", stdin=a_widget(color="blue"), code=1)

    assert same == ""
    for shown in (different, by_server):
        assert "-  color: red" in shown
        assert "+  color: blue" in shown
    assert kubectl("get", "wd/one", "-o", "jsonpath={.spec.color}") == "red"


def test_diff_of_an_object_that_is_not_there_shows_it_whole(kubectl: Program) -> None:
    shown = kubectl("diff", "-f", manifest("core.yaml"), code=1)

    assert "+kind: ConfigMap" in shown
    assert kubectl("get", "cm", "settings", "--ignore-not-found") == ""


def test_dry_run_by_the_server_stores_nothing(kubectl: Program) -> None:
    shown = kubectl("apply", "--dry-run=server", "-o", "jsonpath={.spec}", "-f", "-", stdin=a_widget(color="red"))

    assert json.loads(shown) == {"color": "red", "replicas": 1}
    assert kubectl("get", "wd", "-o", "name") == ""


def test_unknown_field_is_refused_or_warned_of_or_ignored(kubectl: Program) -> None:
    wrong = a_widget(color="red", colour="red")

    refused = kubectl("apply", "-f", "-", stdin=wrong, code=1)
    warned = kubectl.run("apply", "--validate=warn", "-f", "-", stdin=wrong)
    ignored = kubectl.run("apply", "--validate=ignore", "-f", "-", stdin=wrong)

    assert 'strict decoding error: unknown field "spec.colour"' in refused
    assert 'Warning: unknown field "spec.colour"' in warned.stderr
    assert (ignored.returncode, ignored.stderr) == (0, "")


def test_what_the_schema_forbids_is_refused_with_the_field(kubectl: Program) -> None:
    refused = kubectl("apply", "-f", "-", stdin=a_widget(color="mauve"), code=1)

    assert 'The Widget "one" is invalid' in refused
    assert 'spec.color: Unsupported value: "mauve": supported values: "red", "green", "blue"' in refused


def test_create_refuses_what_exists_and_replace_what_does_not(kubectl: Program) -> None:
    not_there = kubectl("replace", "-f", "-", stdin=a_widget(color="red"), code=1)
    kubectl("create", "-f", "-", stdin=a_widget(color="red"))
    there = kubectl("create", "-f", "-", stdin=a_widget(color="red"), code=1)

    assert (
        'Error from server (NotFound): error when replacing "STDIN": widgets.clients.example "one" not found'
        in not_there
    )
    assert '(AlreadyExists): error when creating "STDIN": widgets.clients.example "one" already exists' in there


def test_replace_replaces_and_with_force_makes_it_anew(kubectl: Program, tmp_path: Path) -> None:
    kubectl("create", "-f", "-", stdin=a_widget(color="red"))
    first = kubectl("get", "wd/one", "-o", "jsonpath={.metadata.uid}")

    kubectl("replace", "-f", "-", stdin=a_widget(color="blue"))
    second = kubectl("get", "wd/one", "-o", "jsonpath={.metadata.uid} {.spec.color}")
    (tmp_path / "widget.json").write_text(a_widget(color="green"))
    kubectl("replace", "--force", "-f", str(tmp_path / "widget.json"))
    third = kubectl("get", "wd/one", "-o", "jsonpath={.metadata.uid} {.spec.color}")

    assert second == f"{first} blue"
    assert not third.startswith(first)
    assert third.endswith(" green")


def test_kustomization_is_applied(kubectl: Program, tmp_path: Path) -> None:
    (tmp_path / "widget.yaml").write_text(a_widget(color="red"))
    (tmp_path / "kustomization.yaml").write_text("resources: [widget.yaml]\nnamePrefix: my-\n")

    assert outcomes(kubectl("apply", "-k", str(tmp_path))) == {"widget.clients.example/my-one": "created"}


def test_objects_that_left_the_set_are_pruned(kubectl: Program) -> None:
    both = "\n---\n".join(
        a_widget(color="red").replace('"one"', f'"{name}", "labels": {{"set": "a"}}') for name in ("x", "y")
    )
    prune = ("apply", "--prune", "-l", "set=a", "--prune-allowlist=clients.example/v1/Widget", "-f", "-")
    kubectl(*prune, stdin=both)

    kubectl(*prune, stdin=both.split("---")[0])

    assert kubectl("get", "wd", "-o", "name").split() == ["widget.clients.example/x"]
