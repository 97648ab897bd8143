"""Every place in which the value of a secret could have been left, other than the Secret itself."""

import base64
from collections.abc import Iterator
from typing import Any

import msgspec

from framework.client import Client
from framework.errors import NotFound
from tests.integration.workers_e2e.world import World

_KEPT_IN = {"secrets"}


def places_of(world: World, namespace: str, *values: str) -> list[str]:
    """Names of the places in which one of *values* is, as it is or as base64."""
    wanted = [form for value in values for form in (value.encode(), base64.b64encode(value.encode()))]
    places = [*_objects(world.client, namespace), *_logs(world), *_stored(world), *_image(world)]
    return [place for place, content in places if any(each in content for each in wanted)]


def _objects(client: Client, namespace: str) -> Iterator[tuple[str, bytes]]:
    """All that the API server has in the namespace, of every kind that it knows."""
    for base, resource in _resources(client):
        path = f"{base}/namespaces/{namespace}/{resource}"
        try:
            yield path, client.raw_get(path)
        except NotFound:
            continue


def _resources(client: Client) -> Iterator[tuple[str, str]]:
    groups = _json(client, "/apis")["groups"]
    for base in ("/api/v1", *(f"/apis/{each['preferredVersion']['groupVersion']}" for each in groups)):
        for each in _json(client, base)["resources"]:
            if each["namespaced"] and "list" in each["verbs"] and each["name"] not in _KEPT_IN:
                yield base, each["name"]


def _json(client: Client, path: str) -> Any:
    return msgspec.json.decode(client.raw_get(path))


def _logs(world: World) -> Iterator[tuple[str, bytes]]:
    for name in ("manager", "cf-api"):
        yield f"log of {name}", world.log(name).encode()
    yield "what the builds said", world.kubelet.output.encode()


def _stored(world: World) -> Iterator[tuple[str, bytes]]:
    for key in world.stored:
        yield f"s3 {key}", world.storage.client.get_object(Bucket="scripts", Key=key)["Body"].read()


def _image(world: World) -> Iterator[tuple[str, bytes]]:
    root = world.unpacked()
    # workerd itself knows nothing of anybody.
    for path in (root / "worker").rglob("*"):
        if path.is_file():
            yield f"image {path.relative_to(root)}", path.read_bytes()
    image = world.served
    yield "image configuration", msgspec.json.encode(world.registry.config(image.repository, image.digest))
