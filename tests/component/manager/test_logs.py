"""What a program logs that did not say how."""

import subprocess
import sys

_PROGRAM = """
from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.controller import Primary
from framework.manager import Manager
from framework.runtime import ThreadRuntime

client = in_process_client(ApiServer())
client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace="default")))
stop = ThreadRuntime().event()


class Reconciler:
    def reconcile(self, request):
        confided = "canary" + "-value"
        stop.set()
        raise ValueError("no good")


manager = Manager(client)
manager.add_controller("test", Reconciler(), [Primary(manager.informer(ConfigMap))])
manager.run(stop)
"""


def test_a_traceback_shows_no_local_variables() -> None:
    ended = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, timeout=120, check=True)

    assert "reconcile_raised" in ended.stderr
    assert "ValueError: no good" in ended.stderr
    assert "canary-value" not in ended.stderr + ended.stdout
