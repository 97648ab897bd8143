"""Websites whose Deployments are looked at by a webhook of the same process."""

from pathlib import Path

from apis.meta import Key, ObjectMeta
from apis.schema import crds_of
from examples import image_policy, website
from examples.website import Website, WebsiteSpec
from framework.manager import Manager, ManagerOptions
from framework.testing.simulation import Scenario, User
from framework.webhooks import HookOptions, WebhookOptions
from framework.webhooks.options import FailurePolicy

NAMESPACE = "default"
ONE = Key(NAMESPACE, "one")
OPTIONS = ManagerOptions(webhooks=WebhookOptions(name="image-policy", url="https://image-policy.example"))


def reviewed_with(policy: FailurePolicy) -> Scenario:
    def register(manager: Manager) -> None:
        options = HookOptions(failure_policy=policy)
        manager.webhooks.mutate(image_policy.DEPLOYMENTS, image_policy.pull_once, options)
        manager.webhooks.validate(image_policy.DEPLOYMENTS, image_policy.version_is_fixed, options)
        website.register(manager)

    return Scenario(
        {"controller": register}, workload, definitions=crds_of((Website,)), options=OPTIONS, fixed=("spec.image",)
    )


def workload(user: User) -> None:
    # The webhooks are there before anything that they are asked about.
    user.wait_until_quiet()
    metadata = ObjectMeta(name=ONE.name, namespace=ONE.namespace)
    user.client.create(Website(metadata=metadata, spec=WebsiteSpec(image="web:1", replicas=2)))
    user.wait_until_quiet()
    user.client.merge_patch(Website, ONE, {"spec": {"image": "web:2"}})


def reviewed(_folder: Path) -> Scenario:
    return reviewed_with("Fail")


def reviewed_if_possible(_folder: Path) -> Scenario:
    return reviewed_with("Ignore")
