"""No credential gets out: neither the tokens that processes run with, nor those that users put into their objects."""

import base64
import json

import pytest
import yaml

from tests.integration.chart.pods import COMPONENTS, Pods
from tests.integration.chart.release import Release
from tests.integration.chart.scraping import scrape
from tests.integration.requeststate.processes import eventually

pytestmark = pytest.mark.xdist_group("chart")
CANARY = "canary-5up3r-53cr3t-v4lu3"
NOWHERE = "https://127.0.0.1:1"


def kubeconfig(**user: object) -> str:
    return yaml.safe_dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "here",
            "clusters": [{"name": "here", "cluster": {"server": NOWHERE}}],
            "users": [{"name": "me", "user": user}],
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
        }
    )


# Each goes wrong in another place, and what goes wrong is told: without the secret.
CLUSTERS = {
    "unreachable": base64.b64encode(kubeconfig(token=CANARY).encode()).decode(),
    "password": base64.b64encode(kubeconfig(username="me", password=CANARY).encode()).decode(),
    "program": base64.b64encode(kubeconfig(exec={"command": CANARY, "env": [{"name": CANARY}]}).encode()).decode(),
    "bad-key": base64.b64encode(kubeconfig(**{"client-key-data": CANARY}).encode()).decode(),
    "no-yaml": base64.b64encode(f"token: [{CANARY}".encode()).decode(),
    "no-base64": f"{CANARY}%%%",
}


def test_canaries_are_in_no_log_event_status_metric_or_traceback(pods: Pods, live: Release) -> None:
    clusters = [
        {
            "apiVersion": "instance.laf.dev/v1",
            "kind": "Cluster",
            "metadata": {"name": name, "namespace": live.namespace},
            "spec": {"region": "here", "clientConfig": config},
        }
        for name, config in CLUSTERS.items()
    ]
    listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": clusters})
    live.kubectl("apply", "--server-side", "-f", "-", input=listed, check=True)

    eventually(lambda: len(judged(live)) == len(CLUSTERS), f"each is judged: {judged(live)}")

    secrets = [CANARY, *(pods.token_in(component) for component in COMPONENTS)]
    # The signature differs from token to token; the head of a token is the same for all of an account.
    secrets += [base64.b64encode(CANARY.encode()).decode()]
    for name, text in sinks(pods, live).items():
        assert text, name
        assert [secret for secret in secrets if secret in text] == [], name
        assert "eyJhbGciOi" not in text, f"{name} has a token in it"


def judged(live: Release) -> list[str]:
    found = json.loads(live.kubectl("get", "clusters.instance.laf.dev", "-n", live.namespace, "-o", "json").stdout)
    return [one["metadata"]["name"] for one in found["items"] if one.get("status", {}).get("conditions")]


def sinks(pods: Pods, live: Release) -> dict[str, str]:
    """Everything that a process tells anybody."""
    told = {f"log of {name}": pods[name].stderr + pods[name].stdout for name in COMPONENTS}
    token = live.token(live.account("manager"))
    told |= {f"metrics of {name}": scrape(pods.metrics_url(name), token)[1] for name in COMPONENTS}
    told["events"] = live.kubectl("get", "events", "--all-namespaces", "-o", "json", check=True).stdout
    told["statuses"] = live.kubectl(
        "get", "clusters.instance.laf.dev", "-n", live.namespace, "-o", "jsonpath={.items[*].status}", check=True
    ).stdout
    told["lease"] = live.kubectl("get", "leases", "-n", live.namespace, "-o", "json", check=True).stdout
    return told
