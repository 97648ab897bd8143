from apis.cfworker.planrow import PlanBinding, PlanBindingKind, PlanRow
from controllers.scriptstorage.script import ModuleType, ScriptManifest, ScriptModule, StoredBinding
from controllers.workerbuild.capnp import quoted, workerd_config
from controllers.workerbuild.context import BuildContext
from controllers.workerbuild.resolve import resolve_script
from controllers.workers.plan import Egress

KIND = PlanBindingKind
EXPECTED = """\
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    ( name = "worker:hello", worker = .w0 ),
    ( name = "worker:api", worker = .w1 ),
    ( name = "missing:gone", worker = .missing0 ),
    ( name = "internet", network = ( allow = ["public"], tlsOptions = ( trustBrowserCas = true ) ) ),
  ],
  sockets = [
    ( name = "hello", address = "*:8080", http = (), service = "worker:hello" ),
    ( name = "api", address = "*:8081", http = (), service = "worker:api" ),
  ],
);

const w0 :Workerd.Worker = (
  modules = [
    ( name = "index.js", esModule = embed "w0/m0" ),
    ( name = "sub/z.cjs", commonJsModule = embed "w0/m1" ),
    ( name = "sub/add.wasm", wasm = embed "w0/m2" ),
    ( name = "sub/note.txt", text = embed "w0/m3" ),
    ( name = "sub/blob.bin", data = embed "w0/m4" ),
    ( name = "sub/j.json", json = embed "w0/m5" ),
  ],
  compatibilityDate = "2024-01-01",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [
    ( name = "GREETING", text = "hi \\"x\\" \\\\ \\n" ),
    ( name = "LIMITS", json = "{\\"a\\":1}" ),
    ( name = "API_KEY", fromEnvironment = "HELLO_API_KEY" ),
    ( name = "OTHER", service = "worker:api" ),
    ( name = "ADMIN", service = ( name = "worker:api", entrypoint = "Admin" ) ),
    ( name = "GONE", service = "missing:gone" ),
  ],
);

const w1 :Workerd.Worker = (
  serviceWorkerScript = embed "w1/m0",
  compatibilityDate = "2023-02-28",
  bindings = [
    ( name = "ADD", wasmModule = embed "w1/m1" ),
    ( name = "NOTE", text = embed "w1/m2" ),
  ],
);

const missing0 :Workerd.Worker = (
"""


def binding(name: str, kind: PlanBindingKind, **fields: str) -> PlanBinding:
    return PlanBinding(name=name, kind=kind, **fields)


# Upstream's generator gave every module one name, left the commas out, called all sockets http and had no bindings.
def test_the_configuration_has_the_shape_that_workerd_was_seen_to_take() -> None:
    types = {
        "sub/z.cjs": ModuleType.COMMON_JS,
        "index.js": ModuleType.ES_MODULE,
        "sub/add.wasm": ModuleType.WASM,
        "sub/note.txt": ModuleType.TEXT,
        "sub/blob.bin": ModuleType.DATA,
        "sub/j.json": ModuleType.JSON,
        "index.js.map": ModuleType.SOURCE_MAP,
    }
    hello = PlanRow(
        name="hello",
        port=8080,
        compatibility_date="2024-01-01",
        compatibility_flags=["nodejs_compat"],
        sources=["x"],
        bindings=[
            binding("GREETING", KIND.TEXT, value='hi "x" \\ \n'),
            binding("LIMITS", KIND.JSON, value='{"a":1}'),
            binding("API_KEY", KIND.ENV, value="HELLO_API_KEY"),
            binding("OTHER", KIND.SERVICE, service="api"),
            binding("ADMIN", KIND.SERVICE, service="api", entrypoint="Admin"),
            binding("GONE", KIND.SERVICE, service="gone", entrypoint="Admin"),
        ],
    )
    api = PlanRow(name="api", port=8081, sources=["y"])
    manifest = ScriptManifest(
        v=1,
        body_part="worker.js",
        bindings=[
            StoredBinding(name="ADD", type="wasm_module", part="add"),
            StoredBinding(name="NOTE", type="text_blob", part="note"),
            StoredBinding(name="PLAIN", type="plain_text", text="comes with the plan, or not at all"),
        ],
    )
    parts = [
        ScriptModule("add", ModuleType.WASM, b""),
        ScriptModule("worker.js", ModuleType.COMMON_JS, b""),
        ScriptModule("note", ModuleType.TEXT, b""),
        ScriptModule("nobody binds it", ModuleType.TEXT, b""),
    ]
    workers = [
        resolve_script(0, hello, [ScriptModule(name, kind, b"") for name, kind in types.items()]).worker,
        resolve_script(1, api, parts, manifest).worker,
    ]

    text = workerd_config(BuildContext(version=1, egress=Egress.PUBLIC, workers=workers))

    assert text.startswith(EXPECTED)
    assert "status: 503" in text.removeprefix(EXPECTED)
    assert text.endswith(");\n")


def test_a_text_cannot_end_its_literal() -> None:
    assert quoted('"\\') == '"\\"\\\\"'
    assert quoted("\n\r\t\x00\x1f\x7f") == '"\\n\\r\\t\\x00\\x1f\\x7f"'
    assert quoted("größe 🙂") == '"größe 🙂"'


def test_who_may_be_reached_is_said_to_the_network() -> None:
    def config(egress: Egress) -> str:
        return workerd_config(BuildContext(version=1, egress=egress))

    assert 'allow = ["public"],' in config(Egress.PUBLIC)
    assert 'allow = ["public", "private"],' in config(Egress.PRIVATE)
    assert "allow = []," in config(Egress.NONE)
