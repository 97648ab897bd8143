"""From a plan to a workerd that answers, through a real storage, a real registry and the real workerd."""

from collections.abc import Callable
from pathlib import Path

from apis.cfworker.planrow import PlanBinding, PlanBindingKind
from tests.integration.workers_build.registry import Registry
from tests.integration.workers_build.running import free_ports, running, unpack
from tests.integration.workers_build.steps import Steps, row

Script = Callable[..., str]


def answering(text: str) -> str:
    return f"export default {{ fetch() {{ return new Response({text!r}); }} }};"


def test_a_plan_becomes_an_image_whose_own_workerd_answers_for_each_script_on_its_port(
    steps: Steps, script: Script, registry: Registry, workerd: Path, tmp_path: Path
) -> None:
    first, second = free_ports(2)
    rows = [
        row("hello", first, sources=[script(answering("hello from hello"))]),
        row("wasm_worker", second, sources=[script(answering("hello from the other"))]),
    ]

    fetched = steps.fetch(*rows)
    checked = steps.check()
    built = steps.build(f"{registry.host}/workers/build-acme:c-1", f"-workerd-layer={workerd}")

    assert [fetched.code, checked.code, built.code] == [0, 0, 0], [fetched, checked, built]
    digest = built.termination["digest"]
    assert built.termination == {"ok": True, "image": f"{registry.host}/workers/build-acme:c-1", "digest": digest}
    assert registry.manifest("workers/build-acme", "c-1").headers["Docker-Content-Digest"] == digest
    root = unpack(registry, "workers/build-acme", digest, tmp_path / "root")
    config = registry.config("workers/build-acme", digest)["config"]
    assert config["Entrypoint"] + config["Cmd"] == ["/usr/local/bin/workerd", "serve", "/worker/config.capnp"]
    assert config["ExposedPorts"] == {f"{first}/tcp": {}, f"{second}/tcp": {}}
    assert (config["User"], config["WorkingDir"]) == ("65532:65532", "/worker")
    program = root / "usr/local/bin/workerd"
    with running(program, root / "worker/config.capnp", {"hello": first, "wasm_worker": second}) as workers:
        assert workers.text("hello") == "hello from hello"
        assert workers.text("wasm_worker") == "hello from the other"


def test_the_same_plan_has_the_same_digest_in_two_empty_registries(
    steps: Steps, script: Script, storage: object, tmp_path: Path
) -> None:
    rows = [row("one", 8080, sources=[script({"index.js": answering("1"), "b.txt": "b", "a.txt": "a"})])]
    digests = []
    for name in ("first", "second"):
        registry = Registry(tmp_path / name)
        try:
            again = Steps(tmp_path / f"build-{name}", steps._storage, None)
            assert again.fetch(*rows).code == 0
            digests.append(again.build(f"{registry.host}/workers/one:c-1").termination["digest"])
        finally:
            registry.close()

    assert digests[0] == digests[1]


def test_a_service_binding_calls_the_other_script_and_a_missing_one_is_answered_by_a_stub(
    steps: Steps, script: Script, workerd: Path
) -> None:
    caller = "export default { fetch(request, env) { return env.OTHER.fetch(request); } };"
    binding = PlanBinding(name="OTHER", kind=PlanBindingKind.SERVICE, service="x", entrypoint="")
    y = row("y", 8081, sources=[script(caller)], bindings=[binding])
    x = row("x", 8080, sources=[script(answering("this is x"))])

    assert steps.fetch(x, y).code == 0
    assert steps.check().code == 0
    with running(workerd, steps.context / "worker/config.capnp", {"x": 0, "y": 0}) as workers:
        assert workers.text("y") == "this is x"

    assert steps.fetch(y).code == 0
    assert steps.check().code == 0
    with running(workerd, steps.context / "worker/config.capnp", {"y": 0}) as workers:
        assert workers.ask("y").status_code == 503


def test_two_scripts_with_the_same_secret_name_each_see_their_own_value(
    steps: Steps, script: Script, workerd: Path
) -> None:
    reader = "export default { fetch(request, env) { return new Response(String(env.TOKEN)); } };"

    def secret(variable: str) -> list[PlanBinding]:
        return [PlanBinding(name="TOKEN", kind=PlanBindingKind.ENV, value=variable)]

    rows = [
        row("a", 8080, sources=[script(reader)], bindings=secret("A_TOKEN")),
        row("b", 8081, sources=[script(reader)], bindings=secret("B_TOKEN")),
        row("c", 8082, sources=[script(reader)], bindings=secret("C_TOKEN")),
    ]

    assert steps.fetch(*rows).code == 0
    assert steps.check().code == 0

    environment = {"A_TOKEN": "of a", "B_TOKEN": "of b"}
    config = steps.context / "worker/config.capnp"
    with running(workerd, config, {"a": 0, "b": 0, "c": 0}, environment) as workers:
        assert [workers.text(name) for name in "abc"] == ["of a", "of b", "null"]
