"""The configuration of workerd, in the text form of Cap'n Proto."""

from collections.abc import Iterable, Iterator

from controllers.scriptstorage.script import ModuleType
from controllers.workerbuild.context import BuildContext, ContextBinding, ContextModule, ContextWorker
from controllers.workers.plan import Egress, PlanBindingKind

_NETWORKS = {Egress.PUBLIC: ("public",), Egress.PRIVATE: ("public", "private"), Egress.NONE: ()}
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_DELETE = 0x7F
# A service that is not defined stops the whole process; one that says so stops nobody.
_STUB_SCRIPT = (
    "addEventListener('fetch', (event) => event.respondWith("
    "new Response('This worker is not deployed.\\n', { status: 503 })));"
)
_STUB_DATE = "2023-02-28"
_EMBEDDED = {PlanBindingKind.TEXT: "text", PlanBindingKind.WASM: "wasmModule", PlanBindingKind.DATA: "data"}
_VALUES = {
    PlanBindingKind.TEXT: "text",
    PlanBindingKind.JSON: "json",
    PlanBindingKind.ENV: "fromEnvironment",
}


def quoted(text: str) -> str:
    """*text* as a literal that cannot end early."""
    return f'"{"".join(_escaped(character) for character in text)}"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    code = ord(character)
    return f"\\x{code:02x}" if code < ord(" ") or code == _DELETE else character


def workerd_config(context: BuildContext) -> str:
    missing = _missing_services(context)
    lines = [
        'using Workerd = import "/workerd/workerd.capnp";',
        "",
        "const config :Workerd.Config = (",
        "  services = [",
        *(f"    ( name = {_service(w.name)}, worker = .w{i} )," for i, w in enumerate(context.workers)),
        *(f"    ( name = {_stub(name)}, worker = .missing{i} )," for i, name in enumerate(missing)),
        f"    {_internet(context.egress)},",
        "  ],",
        "  sockets = [",
        *(
            f'    ( name = {quoted(w.name)}, address = "*:{w.port}", http = (), service = {_service(w.name)} ),'
            for w in context.workers
        ),
        "  ],",
        ");",
    ]
    for number, worker in enumerate(context.workers):
        lines += ["", f"const w{number} :Workerd.Worker = (", *_worker(worker, missing), ");"]
    for number in range(len(missing)):
        lines += ["", f"const missing{number} :Workerd.Worker = (", *_stub_worker(), ");"]
    return "\n".join([*lines, ""])


def _internet(egress: Egress) -> str:
    allowed = _strings(_NETWORKS[egress])
    return f'( name = "internet", network = ( allow = {allowed}, tlsOptions = ( trustBrowserCas = true ) ) )'


def _missing_services(context: BuildContext) -> list[str]:
    names = {worker.name for worker in context.workers}
    wanted = (
        binding.service
        for worker in context.workers
        for binding in worker.bindings
        if binding.kind == PlanBindingKind.SERVICE and binding.service not in names
    )
    return list(dict.fromkeys(wanted))


def _worker(worker: ContextWorker, missing: list[str]) -> Iterator[str]:
    if worker.script_file:
        yield f"  serviceWorkerScript = embed {quoted(worker.script_file)},"
    else:
        yield "  modules = ["
        yield from (f"    ( name = {quoted(m.name)}, {_module(m)} )," for m in worker.modules)
        yield "  ],"
    yield f"  compatibilityDate = {quoted(worker.compatibility_date)},"
    if worker.compatibility_flags:
        yield f"  compatibilityFlags = {_strings(worker.compatibility_flags)},"
    if worker.bindings:
        yield "  bindings = ["
        yield from (f"    ( name = {quoted(b.name)}, {_binding(b, missing)} )," for b in worker.bindings)
        yield "  ],"


def _module(module: ContextModule) -> str:
    if module.type == ModuleType.SOURCE_MAP:
        raise ValueError(f"{module.name!r} is a source map, which workerd does not take")
    return f"{module.type.value} = embed {quoted(module.file)}"


def _binding(binding: ContextBinding, missing: list[str]) -> str:
    if binding.kind == PlanBindingKind.SERVICE:
        return f"service = {_target(binding, missing)}"
    if binding.file:
        return f"{_EMBEDDED[binding.kind]} = embed {quoted(binding.file)}"
    return f"{_VALUES[binding.kind]} = {quoted(binding.value)}"


def _target(binding: ContextBinding, missing: list[str]) -> str:
    if binding.service in missing:
        # A stub has no entrypoints, and must stand for every one.
        return _stub(binding.service)
    if binding.entrypoint:
        return f"( name = {_service(binding.service)}, entrypoint = {quoted(binding.entrypoint)} )"
    return _service(binding.service)


def _service(name: str) -> str:
    # A script called `internet` must not become everybody's way out.
    return quoted(f"worker:{name}")


def _stub(name: str) -> str:
    return quoted(f"missing:{name}")


def _stub_worker() -> Iterable[str]:
    return (f"  serviceWorkerScript = {quoted(_STUB_SCRIPT)},", f"  compatibilityDate = {quoted(_STUB_DATE)},")


def _strings(values: Iterable[str]) -> str:
    return f"[{', '.join(quoted(value) for value in values)}]"
