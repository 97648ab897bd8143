import subprocess
import sys

# What a server needs only when somebody writes, defines, asks about types or runs for long.
NOT_NEEDED_TO_START = (
    "cryptography",
    "curl",
    "jwt",
    "prometheus_client",
    "pycurl",
    "re2",
    "rich",
    "sqlite3",
    "structlog",
    "tenacity",
    "yaml",
    "framework.apiserver.admission.admission",
    "framework.apiserver.builtin.kinds",
    "framework.apiserver.cel",
    "framework.apiserver.controllers",
    "framework.apiserver.discovery",
    "framework.apiserver.managedfields",
    "framework.apiserver.openapi",
    "framework.apiserver.patch",
    "framework.apiserver.protobuf",
    "framework.apiserver.rest.writing",
    "framework.apiserver.schema",
    "framework.apiserver.tables",
    "framework.client",
)


def test_a_server_starts_without_what_it_may_never_need() -> None:
    code = "import framework.apiserver.embedded, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert [name for name in NOT_NEEDED_TO_START if name in loaded] == []
