"""A watch does not outlive the definition of what it watches."""

from tests.conformance.api import Api
from tests.conformance.behaviours.waiting import eventually
from tests.conformance.kinds import GROUP, definition

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def test_a_watch_tells_of_the_deletions_and_ends_with_its_definition(api: Api, namespace: str) -> None:
    kind = "Passing" + namespace.removeprefix("test-")
    made = definition(kind, {"type": "object"})
    instances = f"/apis/{GROUP}/v1/namespaces/{namespace}/{made['spec']['names']['plural']}"
    api.create(DEFINITIONS, made)
    eventually(lambda: api.get(instances).status, lambda status: status == 200)
    api.create(instances, {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": "one"}})

    # Far longer than the test may take: only the end of the definition can end it in time.
    with api.watch(instances, {"resourceVersion": "0", "timeoutSeconds": 600}) as watch:
        first = watch.next()
        api.delete(f"{DEFINITIONS}/{made['metadata']['name']}")
        rest = watch.rest()

    assert (first["type"], [event["type"] for event in rest]) == ("ADDED", ["DELETED"])
