"""How objects are called that are made for others."""

import hashlib
import re
from typing import Any

import msgspec

LABEL_LENGTH, NAME_LENGTH = 63, 253
_SUFFIX_LENGTH = 9
_HASH_LENGTH = 10
_FOREIGN = re.compile(r"[^a-z0-9-]")


def slug(text: str, limit: int = NAME_LENGTH) -> str:
    """*text* as a name of lower case letters, digits and dashes; what must be changed for it gets a hash of its own."""
    plain = _FOREIGN.sub("-", text.lower()).strip("-")
    if plain == text and len(plain) <= limit:
        return plain
    return f"{plain[: limit - _SUFFIX_LENGTH].strip('-')}-{_sha256(text.encode())[:8]}".lstrip("-")


def suffixed(name: str, suffix: str, limit: int = NAME_LENGTH) -> str:
    """*name*, which is one already and may have dots, with *suffix*."""
    whole = f"{name}-{suffix}"
    return whole if len(whole) <= limit else f"{slug(name, limit - len(suffix) - 1)}-{suffix}"


def label_value(name: str) -> str:
    """*name*, which is one of an object, where a label must hold it."""
    return name if len(name) <= LABEL_LENGTH else slug(name, LABEL_LENGTH)


def content_hash(content: Any) -> str:
    """Of whatever JSON can say; the order of keys is none of it."""
    return _sha256(msgspec.json.encode(content, order="sorted"))[:_HASH_LENGTH]


def script_object_name(account: str, script: str) -> str:
    """Of the WorkerDeployment of a script; neither part has a dot, so no two accounts share a name."""
    return f"{account}.{slug(script, LABEL_LENGTH)}"


def script_secret_name(account: str, script: str) -> str:
    return f"{script_object_name(account, script)}.secrets"


def bundle_object_name(worker_bundle_name: str) -> str:
    return slug(worker_bundle_name)


def job_builder_name(account: str, composition: str) -> str:
    return suffixed(account, composition)


def job_name(job_builder: str) -> str:
    return slug(f"{job_builder}-job", LABEL_LENGTH)


def plan_name(job_builder: str) -> str:
    return slug(f"{job_builder}-plan")


def deployment_name(name: str) -> str:
    return slug(f"{name}-depl")


def service_name(name: str) -> str:
    made = slug(f"{name}-svc", LABEL_LENGTH)
    # A Service may begin with a digit on recent clusters only.
    return slug(f"w-{made}", LABEL_LENGTH) if made[:1].isdigit() else made


def ingress_name(name: str) -> str:
    return slug(f"{name}-ingress")


def autoscaler_name(name: str) -> str:
    return slug(f"{name}-hpa")


def pod_name(name: str) -> str:
    """Of the one container, and the label of the pods."""
    return slug(f"{name}-pod", LABEL_LENGTH)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
