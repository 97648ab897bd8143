"""The role of the API is neither wider nor narrower than what it does."""

import msgspec

from apis.core.v1 import Secret
from apis.meta import Key, controller_reference
from controllers.cfapi.rights import CF_API_RIGHTS
from framework.rights import AccessRecorder, Comparison, compare, needs_of
from framework.runtime import ThreadRuntime
from tests.component.cfapi.world import MakeWorld, hello

_NO_WATCH_LIST = "for servers without WatchList, and whenever a WatchList fails"
# What the story has no occasion for, and when there is one.
UNUSED = {
    "list workeraccounts.api.worker-account": _NO_WATCH_LIST,
    "list secrets": _NO_WATCH_LIST,
    "update workerdeployments.api.worker-deployment/finalizers": "asked for by a plugin that is off by default",
}
SCRIPT = "/accounts/acme/workers/scripts/hello"


def test_rights_are_those_that_are_used(make_world: MakeWorld) -> None:
    recorder = AccessRecorder(ThreadRuntime())
    world = make_world(observers=[recorder])

    world.result("PUT", SCRIPT, files=hello())
    world.result("PUT", SCRIPT, files=hello("two"))
    world.result("PUT", f"{SCRIPT}/secrets", json={"name": "A", "text": "x"})
    world.result("GET", f"{SCRIPT}/versions")
    world.result("GET", world.workers("/scripts"))
    world.result("PUT", world.workers("/subdomain"), json={"subdomain": "other"})
    world.result("PUT", world.workers("/scripts/other"), files=hello())
    # As that of an earlier script of the name; its owner is there, lest it be collected before anybody finds it.
    owner = msgspec.to_builtins(controller_reference(world.deployment("other")))
    stale = {"metadata": {"ownerReferences": [owner]}}
    world.client.merge_patch(Secret, Key(world.namespace, "acme.hello.secrets"), stale)
    world.result("PUT", f"{SCRIPT}/secrets", json={"name": "A", "text": "y"})
    world.result("DELETE", SCRIPT)

    needs = needs_of(CF_API_RIGHTS, watched=(world.namespace,), home=world.namespace)
    assert compare(needs, recorder.seen, allowed=UNUSED) == Comparison(undeclared=(), unused=())
