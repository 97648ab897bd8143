import subprocess
import sys

HEAVY = ("cryptography", "httptools", "framework.webhooks.served", "framework.certificates.keeper")


def test_a_process_without_webhooks_loads_nothing_for_them() -> None:
    program = f"import sys, framework.manager; print([name for name in {HEAVY} if name in sys.modules])"

    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert loaded.strip() == "[]"
