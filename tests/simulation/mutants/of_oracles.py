"""Mutants that some oracles alone see: the end is right, or right most of the time."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from apis.core.v1 import ConfigMap, Secret
from apis.meta import Key, ObjectMeta, Request
from examples import website
from examples.website import Website, WebsiteReconciler, WebsiteSpec, deployment_of
from framework.client import Client
from framework.controller import Mapped, Primary
from framework.errors import NotFound, WindlassError
from framework.manager import Manager
from framework.reconcile import Result
from framework.store import Store
from framework.testing.simulation import Campaign, Scenario, User
from tests.simulation import copies
from tests.simulation.copies import NAMESPACE, WANTED, Copies
from tests.simulation.mutants.mutant import Mutant
from tests.simulation.scenarios import websites

KEPT, ACCOUNT = Key(NAMESPACE, "kept"), Key(NAMESPACE, "account")
_apply_event = Store._apply


class WholeObjectWrittenBack(Copies):
    def set_finalizers(self, original: ConfigMap, finalizers: list[str]) -> None:
        whole = {"metadata": {"finalizers": finalizers}, "data": dict(original.data)}
        self.client.merge_patch(ConfigMap, original.key, whole, uid=original.metadata.uid)


class CacheChanged(Copies):
    """Remembers on the object that everybody reads."""

    def bring(self, original: ConfigMap) -> None:
        super().bring(original)
        original.metadata.annotations["done"] = "yes"


class SecretInError(Copies):
    """Says what it could not do, with all that it knows."""

    def bring(self, original: ConfigMap) -> None:
        password = self.client.get(Secret, ACCOUNT).data["password"].decode()
        try:
            super().bring(original)
        except WindlassError as error:
            raise WindlassError(f"login with {password} failed: {error}") from error


class PollsTheServer(Copies):
    """Looks whether the copy is still there, as often as it can."""

    def reconcile(self, request: Request) -> Result:
        result = super().reconcile(request)
        original = self.maps.get(request.key)
        if original is None or original.metadata.labels != WANTED:
            return result
        with suppress(NotFound):
            self.client.get(ConfigMap, self.key_of(original))
        return Result.after(0.1)


def _deletion_taken_for_change(self: Any, _event_type: str, *rest: Any) -> None:
    _apply_event(self, "MODIFIED", *rest)


def impatient(user: User) -> None:
    """A user who changes what the controller is just working on."""
    user.client.create(ConfigMap(metadata=ObjectMeta(name=KEPT.name, namespace=KEPT.namespace), data={"text": "first"}))
    user.wait_until_quiet()
    user.client.merge_patch(ConfigMap, KEPT, {"metadata": {"labels": WANTED}})
    user.client.merge_patch(ConfigMap, KEPT, {"data": {"text": "second"}})


def register(manager: Manager) -> None:
    """Whatever `copies.Copies` is by then."""
    maps = manager.informer(ConfigMap)
    sources = [Primary(maps), Mapped(maps, copies.originals_of)]
    manager.add_controller(copies.NAME, copies.Copies(manager), sources)


def hurried(_folder: Path) -> Scenario:
    return Scenario({"controller": register}, impatient)


def patient(_folder: Path) -> Scenario:
    return Scenario({"controller": register}, copies.workload)


def with_account(_folder: Path) -> Scenario:
    """With a password that the controller uses, and that is nobody else's business."""

    def prepare(client: Client) -> None:
        metadata = ObjectMeta(name=ACCOUNT.name, namespace=ACCOUNT.namespace)
        client.create(Secret(metadata=metadata, data={"password": b"correct-horse-battery"}))

    return Scenario({"controller": register}, copies.workload, prepare=prepare)


def campaign_of_website(scenario: Scenario) -> Campaign:
    metadata = ObjectMeta(name="one", namespace=NAMESPACE)
    return Campaign(scenario, Website(metadata=metadata, spec=WebsiteSpec(image="web:1", replicas=2)))


def _without_pull_policy(site: Website) -> dict[str, Any]:
    deployment = deployment_of(site)
    del deployment["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"]
    return deployment


def _replicas_at_birth(self: WebsiteReconciler, request: Request) -> Result:
    site, deployment = self.websites.get(request.key), self.deployments.lister.get(request.key)
    if site is not None:
        wanted = deployment_of(site)
        if deployment is not None:
            wanted["spec"]["replicas"] = deployment.content["spec"]["replicas"]
        self.children.converge(site, [wanted])
    return Result.await_change()


MUTANTS = (
    Mutant(
        "whole-object-written-back",
        "a write of one field brings back the old values of all others",
        hurried,
        [(copies, "Copies", WholeObjectWrittenBack)],
    ),
    Mutant(
        "cache-misses-deletion",
        "an object that is gone stays in the cache",
        patient,
        [(Store, "_apply", _deletion_taken_for_change)],
    ),
    Mutant(
        "cache-changed",
        "an object of the cache is changed in place",
        patient,
        [(copies, "Copies", CacheChanged)],
    ),
    Mutant(
        "polls-the-server",
        "asks the server instead of waiting for an event",
        patient,
        [(copies, "Copies", PollsTheServer)],
    ),
    Mutant(
        "secret-in-error",
        "an error tells the password with which something failed",
        with_account,
        [(copies, "Copies", SecretInError)],
    ),
    Mutant(
        "replicas-at-birth",
        "a field counts when the object is made, and no more when it is changed",
        websites,
        [(WebsiteReconciler, "reconcile", _replicas_at_birth)],
        simulation=campaign_of_website,
    ),
    Mutant(
        "default-of-the-first-spec",
        "what the server chose for the first spec stays for the next",
        websites,
        [(website, "deployment_of", _without_pull_policy)],
        simulation=campaign_of_website,
    ),
)
