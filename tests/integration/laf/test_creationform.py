"""CreationForms, with real processes on a real hub, also when one is killed in between."""

import json
from pathlib import Path

from apis.core.v1 import Namespace
from apis.laf.application import Application
from apis.laf.creationform import CreationForm
from apis.meta import Key
from framework.client import Client
from framework.errors import NotFound
from framework.testing.relay import Fault, Match, Relay, Stall
from tests.integration.laf.conftest import Hosts
from tests.integration.laf.manifests import BUNDLE, FORM, RUNTIME, having
from tests.integration.laf.test_catalogue import Kubectl, apply, condition
from tests.integration.requeststate.processes import eventually


def made_by(client: Client, form: CreationForm) -> list[Namespace]:
    everywhere = client.list(Namespace)
    return [each for each in everywhere if each.metadata.annotations.get("laf.dev/form-uid") == form.metadata.uid]


def test_a_form_waits_for_its_bundle_and_becomes_one_namespace_with_one_application(
    hosts: Hosts, client: Client, kubectl: Kubectl, system: str
) -> None:
    hosts.start("-form-ttl=2s", "-app-namespace-prefix=app-", "-appid-length=8")
    apply(kubectl, system, RUNTIME, FORM)
    eventually(lambda: condition(kubectl, system, "creationform/form", "ValidBundle") == ("False", "NotFound"), "waits")
    form = client.get(CreationForm, Key(system, "form"))
    assert made_by(client, form) == []

    apply(kubectl, system, having(BUNDLE, priority=0))
    unavailable = ("False", "Unavailable")
    eventually(lambda: condition(kubectl, system, "creationform/form", "ValidBundle") == unavailable, "not offered")
    apply(kubectl, system, BUNDLE)

    eventually(lambda: len(made_by(client, form)) == 1, "the namespace is there")
    name = made_by(client, form)[0].metadata.name
    eventually(lambda: len(client.list(Application, name)) == 1, "the application is there")
    application = client.list(Application, name)[0]
    assert application.metadata.name == "app"
    assert application.metadata.annotations["laf.dev/name"] == "My shop"
    assert application.spec is not None
    assert name == f"app-{application.spec.appid}"
    assert len(application.spec.appid) == 8
    eventually(lambda: is_gone(client, form.key), "the form is gone after its time")
    assert made_by(client, form) != []
    assert client.list(Application, name) != []


def test_a_form_is_fulfilled_once_although_the_process_was_killed_after_the_namespace_was_made(
    hosts: Hosts, client: Client, kubectl: Kubectl, relay: Relay, behind_relay: Path
) -> None:
    stalled = relay.inject(Fault(Match(method="POST", path="/applications$"), Stall(before_headers=True)))
    first = hosts.start("-controllers=creationform", kubeconfig=behind_relay)
    apply(kubectl, hosts.system, BUNDLE, RUNTIME, FORM)
    stalled.wait()
    first.kill()

    hosts.start("-controllers=creationform")

    eventually(
        lambda: condition(kubectl, hosts.system, "creationform/form", "Created") == ("True", "Created"), "created"
    )
    form = client.get(CreationForm, Key(hosts.system, "form"))
    namespaces = [each.metadata.name for each in made_by(client, form)]
    assert namespaces == [form.status.namespace]
    assert [each.metadata.name for each in client.list(Application, form.status.namespace)] == ["app"]


def test_a_form_that_is_deleted_leaves_what_it_made(
    hosts: Hosts, client: Client, kubectl: Kubectl, system: str
) -> None:
    hosts.start()
    apply(kubectl, system, BUNDLE, RUNTIME, FORM)
    eventually(lambda: condition(kubectl, system, "creationform/form", "Created") == ("True", "Created"), "created")
    form = json.loads(kubectl("get", "-n", system, "creationform/form", "-o", "json", check=True).stdout)

    kubectl("delete", "-n", system, "creationform/form", "--timeout=30s", check=True)

    assert len(client.list(Application, form["status"]["namespace"])) == 1


def is_gone(client: Client, key: Key) -> bool:
    try:
        client.get(CreationForm, key)
    except NotFound:
        return True
    return False
