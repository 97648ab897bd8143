"""What an Instance looks like on its cluster."""

import base64
import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from apis.laf.instance import Granted, Instance, InstanceSpec
from apis.laf.runtime import DEFAULT_COMMAND, DEFAULT_HEALTH_PATH, DEFAULT_PORT, RuntimeSpec
from controllers.instance.inputs import Inputs
from controllers.instance.needs import nanos
from controllers.laf.names import base_name
from controllers.laf.remote_objects import marks

SALT = "SERVER_SECRET_SALT"
SERVICE_PORT = 8000
_ENV_HASH = "laf.dev/env-hash"
_HASH_CHARACTERS = 16
_MIB_IN_NANOS = 2**20 * 10**9

Manifest = dict[str, Any]


class Desired(msgspec.Struct, frozen=True):
    """Names, marks and contents; nothing that the server adds."""

    namespace: str
    secret_name: str
    deployment_name: str
    service_name: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    selector: Mapping[str, str]
    secret_data: Mapping[str, bytes]
    service_spec: Mapping[str, Any]
    deployment_spec: Mapping[str, Any]

    def __repr__(self) -> str:
        # The generated one would print the data of the Secret.
        return f"Desired({self.namespace}/{self.deployment_name})"

    @property
    def hash(self) -> str:
        """Of the Deployment: whether what is wanted is what was wanted last."""
        return _hash([dict(self.labels), dict(self.annotations), self.deployment_spec])

    @property
    def selector_text(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.selector.items())


def names_of(instance: Instance) -> tuple[str, str, str]:
    """Of its Secret, its Deployment and its Service."""
    base = base_name(instance.metadata.name)
    return f"{base}-env", f"{base}-deployment", f"{base}-svc"


def desired_of(
    instance: Instance, spec: InstanceSpec, inputs: Inputs, granted: Granted, *, salt: bytes, hub_id: str
) -> Desired:
    secret_name, deployment_name, service_name = names_of(instance)
    base = base_name(instance.metadata.name)
    selector = {"appid": spec.appid, "region": spec.region, "laf.dev/instance": base}
    label, annotations = marks(hub_id, instance.key, instance.metadata.uid)
    secret_data = dict(_secret_data(inputs, salt))
    return Desired(
        namespace=instance.metadata.namespace,
        secret_name=secret_name,
        deployment_name=deployment_name,
        service_name=service_name,
        labels={**selector, **label, "app.kubernetes.io/managed-by": "laf-controller"},
        annotations=annotations,
        selector=selector,
        secret_data=secret_data,
        service_spec=_service_spec(selector, inputs.runtime),
        deployment_spec={
            "replicas": granted.replica,
            "selector": {"matchLabels": selector},
            "template": {
                "metadata": {"labels": selector, "annotations": {_ENV_HASH: _hash_of_data(secret_data)}},
                "spec": _pod_spec(spec, inputs, granted, secret_name),
            },
        },
    )


def heap_mebibytes(limit_memory: int) -> int:
    """Four fifths of a limit in billionths of a byte; the rest is for what is not on the heap."""
    return max(1, limit_memory * 4 // 5 // _MIB_IN_NANOS)


def _secret_data(inputs: Inputs, salt: bytes) -> Iterator[tuple[str, bytes]]:
    yield SALT, salt
    if inputs.database is not None:
        yield "DB_URI", inputs.database.uri.encode()
    if inputs.storage is not None:
        yield "OSS_ACCESS_KEY", inputs.storage.access_key.encode()
        yield "OSS_ACCESS_SECRET", inputs.storage.secret_key.encode()


def _service_spec(selector: Mapping[str, str], runtime: RuntimeSpec) -> Manifest:
    port = {"name": "http", "port": SERVICE_PORT, "targetPort": runtime.port or DEFAULT_PORT, "protocol": "TCP"}
    return {"type": "ClusterIP", "selector": dict(selector), "ports": [port]}


def _pod_spec(spec: InstanceSpec, inputs: Inputs, granted: Granted, secret_name: str) -> Manifest:
    image = inputs.runtime.image
    env = list(_env(spec, inputs, granted, secret_name))
    resources = {
        "requests": {"cpu": granted.request_cpu, "memory": granted.request_memory},
        "limits": {"cpu": granted.limit_cpu, "memory": granted.limit_memory},
    }
    containers = [_main(inputs.runtime, env, resources)]
    if granted.sidecar and image.sidecar:
        containers.append(_sidecar(image.sidecar, spec.appid))
    pod: Manifest = {
        "terminationGracePeriodSeconds": 15,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "containers": containers,
    }
    if image.init:
        mount = {"name": "app", "mountPath": "/tmp/app"}  # noqa: S108 - inside of the container
        command = ["sh", "/app/init.sh"]
        init = {"name": "init", "image": image.init, "command": command, "env": env, "resources": resources}
        pod["initContainers"] = [{**init, "volumeMounts": [mount]}]
        pod["volumes"] = [{"name": "app", "emptyDir": {}}]
    return pod


def _main(runtime: RuntimeSpec, env: list[Manifest], resources: Manifest) -> Manifest:
    container: Manifest = {
        "name": "main",
        "image": runtime.image.main,
        "command": list(runtime.command or DEFAULT_COMMAND),
        "env": env,
        "ports": [{"name": "http", "containerPort": runtime.port or DEFAULT_PORT, "protocol": "TCP"}],
        "resources": resources,
        "startupProbe": _probe(runtime, "startupProbe", period=3, timeout=3, failures=240),
        "readinessProbe": _probe(runtime, "readinessProbe", period=60, timeout=5, failures=3),
    }
    if runtime.image.init:
        container["volumeMounts"] = [{"name": "app", "mountPath": "/app"}]
    return container


def _probe(runtime: RuntimeSpec, name: str, *, period: int, timeout: int, failures: int) -> Manifest:
    return {
        "httpGet": {
            "path": runtime.health_path or DEFAULT_HEALTH_PATH,
            "port": "http",
            "httpHeaders": [{"name": "Referer", "value": name}],
        },
        "initialDelaySeconds": 0,
        "periodSeconds": period,
        "timeoutSeconds": timeout,
        "failureThreshold": failures,
    }


def _sidecar(image: str, appid: str) -> Manifest:
    return {
        "name": "sidecar",
        "image": image,
        "env": [{"name": "APP_ID", "value": appid}],
        "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"cpu": "100m", "memory": "64Mi"}},
    }


def _env(spec: InstanceSpec, inputs: Inputs, granted: Granted, secret_name: str) -> Iterator[Manifest]:
    def secret(name: str) -> Manifest:
        return {"name": name, "valueFrom": {"secretKeyRef": {"name": secret_name, "key": name}}}

    def plain(name: str, value: str) -> Manifest:
        # As the server stores it: an empty value is left out.
        return {"name": name, "value": value} if value else {"name": name}

    if inputs.database is not None:
        yield plain("DB", inputs.database.name)
        yield secret("DB_URI")
    yield plain("LOG_LEVEL", "debug")
    yield plain("ENABLE_CLOUD_FUNCTION_LOG", "always")
    yield secret(SALT)
    yield plain("APP_ID", spec.appid)
    yield plain("RUNTIME_IMAGE", inputs.runtime.image.main)
    yield plain("FLAGS", f"--max_old_space_size={heap_mebibytes(nanos(granted.limit_memory))}")
    yield plain("NPM_INSTALL_FLAGS", "")
    if inputs.storage is not None:
        yield secret("OSS_ACCESS_KEY")
        yield secret("OSS_ACCESS_SECRET")
        yield plain("OSS_INTERNAL_ENDPOINT", inputs.storage.endpoint)
        yield plain("OSS_EXTERNAL_ENDPOINT", inputs.storage.endpoint)
        yield plain("OSS_REGION", inputs.storage.region)


def _hash_of_data(data: Mapping[str, bytes]) -> str:
    return _hash({name: base64.b64encode(value).decode() for name, value in data.items()})


def _hash(content: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()[:_HASH_CHARACTERS]
