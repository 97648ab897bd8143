"""The hub's part of laf: a catalogue with its users, and a form that becomes an Application."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import msgspec

from apis.core.v1 import Namespace
from apis.laf.application import Application, ApplicationSpec
from apis.laf.bundle import Bundle, BundleSpec
from apis.laf.creationform import CreationForm, CreationFormSpec
from apis.laf.runtime import Runtime, RuntimeImage, RuntimeSpec, RuntimeVersion
from apis.meta import Key, ObjectMeta
from apis.registry import LAF_KINDS
from apis.schema import crds_of
from controllers.bundle import register_bundle
from controllers.creationform import register_creationform
from controllers.laf.settings import LafSettings
from controllers.runtime import register_runtime
from framework.client import Client
from framework.manager import Manager
from framework.testing.simulation import Register, Scenario, User

SYSTEM, TENANT = "laf-system", "tenant"
SETTINGS = LafSettings(form_ttl_seconds=30.0)
SMALL = BundleSpec(
    display_name="Small",
    request_cpu="250m",
    request_memory="128Mi",
    limit_cpu="1",
    limit_memory="512Mi",
    database_capacity="2Gi",
    storage_capacity="2Gi",
    network_traffic_outbound="5Gi",
    priority=20,
)
NODE = RuntimeSpec(
    type="node:laf", image=RuntimeImage(main="registry.example/app:1.0"), version=RuntimeVersion(version="1.0")
)


def named(name: str, namespace: str = SYSTEM) -> ObjectMeta:
    return ObjectMeta(name=name, namespace=namespace)


def _namespaces(client: Client) -> None:
    for name in (SYSTEM, TENANT):
        client.create(Namespace(metadata=ObjectMeta(name=name)))


def catalogue(_folder: Path) -> Scenario:
    """An Application uses a bundle that is deleted meanwhile, and lets it go by using another one."""

    def register(manager: Manager) -> None:
        register_bundle(manager, SETTINGS)
        register_runtime(manager, SETTINGS)

    def workload(user: User) -> None:
        for name in ("small", "large"):
            user.client.create(Bundle(metadata=named(name), spec=SMALL))
        user.client.create(Runtime(metadata=named("node"), spec=NODE))
        spec = ApplicationSpec(appid="shop01", region="east", bundle_name="small", runtime_name="node")
        user.client.create(Application(metadata=named("shop", TENANT), spec=spec))
        user.wait_until_quiet()
        user.client.delete(Bundle, Key(SYSTEM, "small"))
        user.wait_until_quiet()
        user.client.merge_patch(Application, Key(TENANT, "shop"), {"spec": {"bundleName": "large"}})

    # An entry that nobody uses yet may go at once, one that is used may not.
    return _scenario(register, workload)


def forms(_folder: Path) -> Scenario:
    """A form that waits for its bundle, is fulfilled, and goes when its time is over."""

    def register(manager: Manager) -> None:
        # The same in each run and each life, else no two runs could be compared.
        register_creationform(manager, SETTINGS, appids=lambda: (f"app{number}" for number in count(1)))

    def workload(user: User) -> None:
        user.client.create(Runtime(metadata=named("node"), spec=NODE))
        spec = CreationFormSpec(display_name="My shop", bundle_name="small", runtime_name="node")
        user.client.create(CreationForm(metadata=named("form"), spec=spec))
        user.wait_until_quiet()
        user.client.create(Bundle(metadata=named("small"), spec=msgspec.structs.replace(SMALL, priority=0)))
        user.wait_until_quiet()
        user.client.merge_patch(Bundle, Key(SYSTEM, "small"), {"spec": {"priority": 5}})

    # A form that is deleted before it is fulfilled leaves nothing, and afterwards all that it made.
    return _scenario(register, workload)


def _scenario(register: Register, workload: Callable[[User], None]) -> Scenario:
    return Scenario(
        {"controller": register},
        workload,
        definitions=crds_of(LAF_KINDS),
        prepare=_namespaces,
        depends_on_when=True,
        # Longer than a key is held back after a create whose answer was lost, while its cache hears nothing.
        quiet_seconds=200.0,
    )
