"""What is sent to a cluster: section 3 of the specification, field by field."""

from typing import Any

import msgspec
import pytest

from apis.laf.runtime import RuntimeImage
from controllers.instance.desired import Desired, desired_of, heap_mebibytes
from controllers.instance.inputs import DatabaseAccess, Inputs
from controllers.instance.needs import grant_of, nanos, need_of
from controllers.laf.optional_objects import OssAccess
from tests.unit.controllers.instance.samples import BUNDLE_SPEC, RUNTIME_SPEC, instance_called

PLAIN = Inputs(BUNDLE_SPEC, RUNTIME_SPEC)
WHOLE = Inputs(
    BUNDLE_SPEC,
    RUNTIME_SPEC,
    DatabaseAccess("shop01", "mongodb://secret-uri"),
    OssAccess("access", "secret-key", "oss.example", "east"),
)


def desired(inputs: Inputs = PLAIN, name: str = "shop", salt: bytes = b"secret-salt") -> Desired:
    instance = instance_called(name)
    assert instance.spec is not None
    granted = grant_of(2, inputs.bundle, inputs.runtime)
    return desired_of(instance, instance.spec, inputs, granted, salt=salt, hub_id="hub")


def pod_of(wanted: Desired) -> dict[str, Any]:
    found: dict[str, Any] = wanted.deployment_spec["template"]["spec"]
    return found


def test_names_and_marks() -> None:
    wanted = desired()
    assert (wanted.secret_name, wanted.deployment_name, wanted.service_name) == (
        "shop-env",
        "shop-deployment",
        "shop-svc",
    )
    selector = {"appid": "shop01", "region": "east", "laf.dev/instance": "shop"}
    assert wanted.selector == selector
    assert wanted.labels == {
        **selector,
        "laf.dev/hub-id": "hub",
        "app.kubernetes.io/managed-by": "laf-controller",
    }
    assert wanted.annotations == {
        "laf.dev/instance-namespace": "tenant",
        "laf.dev/instance-name": "shop",
        "laf.dev/instance-uid": "uid-shop",
    }


def test_names_that_no_service_could_have_are_replaced_everywhere() -> None:
    wanted = desired(name="1st.shop")
    assert wanted.service_name.startswith("i-1st-shop-")
    assert wanted.labels["laf.dev/instance"] == wanted.service_name.removesuffix("-svc")
    assert wanted.annotations["laf.dev/instance-name"] == "1st.shop"


def test_env_has_its_order_and_no_secret_in_it() -> None:
    env = pod_of(desired(WHOLE))["containers"][0]["env"]

    assert [each["name"] for each in env] == [
        "DB",
        "DB_URI",
        "LOG_LEVEL",
        "ENABLE_CLOUD_FUNCTION_LOG",
        "SERVER_SECRET_SALT",
        "APP_ID",
        "RUNTIME_IMAGE",
        "FLAGS",
        "NPM_INSTALL_FLAGS",
        "OSS_ACCESS_KEY",
        "OSS_ACCESS_SECRET",
        "OSS_INTERNAL_ENDPOINT",
        "OSS_EXTERNAL_ENDPOINT",
        "OSS_REGION",
    ]
    by_name = {each["name"]: each for each in env}
    assert by_name["LOG_LEVEL"]["value"] == "debug"
    assert by_name["FLAGS"]["value"] == "--max_old_space_size=409"
    assert by_name["OSS_ACCESS_SECRET"]["valueFrom"]["secretKeyRef"] == {
        "name": "shop-env",
        "key": "OSS_ACCESS_SECRET",
    }
    assert "secret-" not in msgspec.json.encode(desired(WHOLE).deployment_spec).decode()
    assert desired(WHOLE).secret_data == {
        "SERVER_SECRET_SALT": b"secret-salt",
        "DB_URI": b"mongodb://secret-uri",
        "OSS_ACCESS_KEY": b"access",
        "OSS_ACCESS_SECRET": b"secret-key",
    }


def test_nothing_that_is_not_there_is_referred_to() -> None:
    names = [each["name"] for each in pod_of(desired())["containers"][0]["env"]]
    assert not [name for name in names if name.startswith(("DB", "OSS"))]
    assert list(desired().secret_data) == ["SERVER_SECRET_SALT"]


def test_probes_ask_for_the_health_path() -> None:
    main = pod_of(desired())["containers"][0]
    startup, readiness = main["startupProbe"], main["readinessProbe"]
    assert startup["httpGet"] == {
        "path": "/healthz",
        "port": "http",
        "httpHeaders": [{"name": "Referer", "value": "startupProbe"}],
    }
    assert (startup["periodSeconds"], startup["timeoutSeconds"], startup["failureThreshold"]) == (3, 3, 240)
    assert (readiness["periodSeconds"], readiness["timeoutSeconds"], readiness["failureThreshold"]) == (60, 5, 3)
    assert readiness["httpGet"]["httpHeaders"] == [{"name": "Referer", "value": "readinessProbe"}]


def test_the_init_image_fills_a_volume_for_the_main_one() -> None:
    pod = pod_of(desired())
    (init,) = pod["initContainers"]
    assert init["command"] == ["sh", "/app/init.sh"]
    assert init["volumeMounts"][0]["mountPath"].endswith("/app")
    assert pod["containers"][0]["volumeMounts"] == [{"name": "app", "mountPath": "/app"}]
    assert pod["volumes"] == [{"name": "app", "emptyDir": {}}]


def test_a_sidecar_is_there_only_if_the_runtime_has_one() -> None:
    assert [each["name"] for each in pod_of(desired())["containers"]] == ["main"]
    image = RuntimeImage(main="main:1", sidecar="side:1")
    runtime = msgspec.structs.replace(RUNTIME_SPEC, image=image, port=9000, health_path="/up", command=["run"])

    wanted = desired(Inputs(BUNDLE_SPEC, runtime))

    main, sidecar = pod_of(wanted)["containers"]
    assert (main["command"], main["ports"][0]["containerPort"]) == (["run"], 9000)
    assert "volumeMounts" not in main
    assert sidecar["resources"]["limits"] == {"cpu": "100m", "memory": "64Mi"}
    assert wanted.service_spec["ports"] == [{"name": "http", "port": 8000, "targetPort": 9000, "protocol": "TCP"}]
    assert need_of(grant_of(2, BUNDLE_SPEC, runtime)).cpu == 2 * (nanos("250m") + nanos("10m"))


def test_another_secret_makes_another_template_and_the_same_one_does_not() -> None:
    assert desired().hash == desired().hash
    assert desired().hash != desired(salt=b"another").hash


@pytest.mark.parametrize(("limit", "mebibytes"), [("256Mi", 204), ("512Mi", 409), ("1", 1), ("1Gi", 819)])
def test_the_heap_is_four_fifths_of_the_limit_as_a_whole_number(limit: str, mebibytes: int) -> None:
    assert heap_mebibytes(nanos(limit)) == mebibytes


def test_no_repr_shows_a_secret() -> None:
    assert "secret-" not in f"{WHOLE!r} {desired(WHOLE)!r}"
