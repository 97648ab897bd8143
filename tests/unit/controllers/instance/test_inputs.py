"""What an Instance may refer to, and what is said of what it may not."""

from typing import Any, cast

import pytest

from apis.laf.bundle import Bundle
from apis.laf.runtime import Runtime
from apis.meta import Key, ObjectMeta, ResourceType, Unstructured
from controllers.instance.inputs import InputReader, Inputs, Unresolved
from controllers.laf.optional_kinds import DATABASE, OSS_USER, OptionalKinds
from framework.listers import Lister
from tests.integration.laf.manifests import BUNDLE, RUNTIME
from tests.unit.controllers.instance.samples import BUNDLE_SPEC, RUNTIME_SPEC, instance_called

SYSTEM = "laf-system"
READY = {"conditions": [{"type": "Ready", "status": "True"}]}


class Listed:
    """The one method of a Lister that is used here."""

    def __init__(self, *objects: Any) -> None:
        self._objects = {each.key: each for each in objects}

    def get(self, key: Key) -> Any:
        return self._objects.get(key)


class Optional:
    def __init__(self, **found: Listed) -> None:
        self._found = found

    def lister_of(self, resource_type: ResourceType) -> Listed | None:
        return self._found.get(resource_type.plural)


def optional(kind: ResourceType, status: dict[str, Any], namespace: str = "tenant") -> Optional:
    metadata = {"name": "shop01", "namespace": namespace}
    listed = Unstructured(
        metadata=ObjectMeta(name="shop01", namespace=namespace), content={"metadata": metadata, "status": status}
    )
    return Optional(**{kind.plural: Listed(listed)})


def read(found: Optional | None = None, **spec: Any) -> Inputs:
    bundles = Listed(
        Bundle(metadata=ObjectMeta(name="small", namespace=SYSTEM), spec=BUNDLE_SPEC),
        Bundle(metadata=ObjectMeta(name="empty", namespace=SYSTEM)),
    )
    runtimes = Listed(
        Runtime(metadata=ObjectMeta(name="node18", namespace=SYSTEM), spec=RUNTIME_SPEC),
        Runtime(metadata=ObjectMeta(name="empty", namespace=SYSTEM)),
    )
    reader = InputReader(
        bundles=cast("Lister[Bundle]", bundles),
        runtimes=cast("Lister[Runtime]", runtimes),
        optional=cast("OptionalKinds", found or Optional()),
        system_namespace=SYSTEM,
    )
    instance = instance_called(**spec)
    assert instance.spec is not None
    return reader.read(instance, instance.spec)


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in BUNDLE["spec"].items() if key != name}


def test_names_and_whole_specs_say_the_same() -> None:
    assert read() == read(bundle=BUNDLE["spec"], runtime=RUNTIME["spec"]) == Inputs(BUNDLE_SPEC, RUNTIME_SPEC)


@pytest.mark.parametrize(
    ("spec", "reason", "told"),
    [
        ({"bundle": 5}, "InvalidSpec", "spec.bundle"),
        ({"bundle": []}, "InvalidSpec", "spec.bundle"),
        ({"bundle": {}}, "InvalidSpec", "displayName"),
        ({"bundle": ""}, "InvalidSpec", "spec.bundle"),
        ({"bundle": without("limitCPU")}, "InvalidSpec", "limitCPU"),
        ({"bundle": {**BUNDLE["spec"], "requestCPU": "2"}}, "InvalidSpec", "requestCPU must not be more than limitCPU"),
        ({"bundle": {**BUNDLE["spec"], "limitMemory": "much"}}, "InvalidSpec", "limitMemory is not a quantity"),
        ({"bundle": {**BUNDLE["spec"], "requestMemory": 0}}, "InvalidSpec", "requestMemory"),
        ({"bundle": {**BUNDLE["spec"], "storageCapacity": "-1Gi"}}, "InvalidSpec", "storageCapacity"),
        ({"runtime": {**RUNTIME["spec"], "image": {"init": "a"}}}, "InvalidSpec", "main"),
        ({"runtime": None}, "InvalidSpec", "spec.runtime"),
        ({"bundle": "none"}, "BundleNotFound", "laf-system/none"),
        ({"bundle": "empty"}, "BundleInvalid", "laf-system/empty"),
        ({"runtime": "none"}, "RuntimeNotFound", "laf-system/none"),
        ({"runtime": "empty"}, "RuntimeNotFound", "no spec"),
        ({"bundle_namespace": "other"}, "CrossNamespaceReference", "spec.bundleNamespace"),
        ({"runtime_namespace": "other"}, "CrossNamespaceReference", "spec.runtimeNamespace"),
        ({"database": "a", "database_namespace": "other"}, "CrossNamespaceReference", "spec.databaseNamespace"),
        ({"oss_user": "a", "oss_user_namespace": SYSTEM}, "CrossNamespaceReference", "spec.ossUserNamespace"),
        ({"database": "a"}, "DatabaseNotFound", "not installed"),
        ({"oss_user": "a"}, "OssUserNotFound", "not installed"),
    ],
)
def test_what_cannot_be_used_has_a_reason_and_says_where(spec: dict[str, Any], reason: str, told: str) -> None:
    with pytest.raises(Unresolved) as refused:
        read(**spec)

    assert refused.value.reason == reason
    assert told in refused.value.message


def test_a_namespace_of_its_own_may_be_named() -> None:
    with pytest.raises(Unresolved) as refused:
        read(bundle_namespace="tenant")
    assert refused.value.reason == "BundleNotFound"


@pytest.mark.parametrize(
    ("status", "reason"),
    [({}, "DatabaseNotReady"), (READY, "DatabaseNotReady"), ({"connectionUri": "secret"}, "DatabaseNotReady")],
)
def test_a_database_must_be_ready_and_tell_where_it_is(status: dict[str, Any], reason: str) -> None:
    with pytest.raises(Unresolved) as refused:
        read(optional(DATABASE, status), database="shop01")
    assert refused.value.reason == reason


def test_what_is_ready_is_read() -> None:
    inputs = read(optional(DATABASE, {**READY, "connectionUri": "mongodb://x"}), database="shop01")
    assert inputs.database is not None
    assert (inputs.database.name, inputs.database.uri) == ("shop01", "mongodb://x")
    access = {"accessKey": "a", "secretKey": "b", "endpoint": "c", "region": "d"}
    inputs = read(optional(OSS_USER, {**READY, **access}), oss_user="shop01")
    assert inputs.storage is not None
    assert inputs.storage.secret_key == "b"
    with pytest.raises(Unresolved, match="lacks"):
        read(optional(OSS_USER, READY), oss_user="shop01")
