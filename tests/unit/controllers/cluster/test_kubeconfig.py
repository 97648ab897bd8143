"""What a Cluster brings, before anything is sent."""

import base64

import msgspec
import pytest

from controllers.cluster.kubeconfig import credentials_of
from controllers.reporting.observation import Observation
from framework.clusters import InlineCredentials
from tests.unit.controllers.cluster.judged import a_cluster, kubeconfig

SECRET = "canary-7f3a9c"


def wrapped(text: str) -> str:
    """In base64, in lines."""
    whole = base64.b64encode(text.encode()).decode()
    return "\n".join(whole[start : start + 20] for start in range(0, len(whole), 20)) + "\n"


@pytest.mark.parametrize("text", [kubeconfig(SECRET), wrapped(kubeconfig(SECRET))])
def test_a_kubeconfig_is_taken_as_it_is_and_in_base64(text: str) -> None:
    credentials = credentials_of(a_cluster(text), allow_insecure=False)

    assert isinstance(credentials, InlineCredentials)
    assert credentials.authorization() == f"Bearer {SECRET}"


@pytest.mark.parametrize(
    ("text", "reason", "field"),
    [
        (f"{SECRET}: [", "InvalidClientConfig", "the whole"),
        (SECRET, "InvalidClientConfig", "the whole"),
        (kubeconfig(SECRET, server=f"http://{SECRET}"), "ForbiddenClientConfig", "server"),
        (kubeconfig(SECRET, server=""), "InvalidClientConfig", "server"),
        (kubeconfig(f"{SECRET} two"), "InvalidClientConfig", "token"),
        (
            kubeconfig(SECRET).replace("token:", f"exec: {{command: {SECRET}}}, token:"),
            "ForbiddenClientConfig",
            "exec",
        ),
    ],
)
def test_one_that_cannot_be_used_is_refused_by_the_name_of_the_field(text: str, reason: str, field: str) -> None:
    refused = credentials_of(a_cluster(text), allow_insecure=False)

    assert isinstance(refused, Observation)
    assert (refused.status, refused.reason) == ("False", reason)
    assert field in refused.message
    assert SECRET not in refused.message


def test_a_server_that_is_not_verified_must_be_allowed() -> None:
    text = kubeconfig(SECRET).replace("server:", "insecure-skip-tls-verify: true, server:")

    refused = credentials_of(a_cluster(text), allow_insecure=False)
    allowed = credentials_of(a_cluster(text), allow_insecure=True)

    assert isinstance(refused, Observation)
    assert refused.reason == "ForbiddenClientConfig"
    assert isinstance(allowed, InlineCredentials)
    assert not allowed.address().verify


def test_an_empty_spec_is_told() -> None:
    missing = credentials_of(msgspec.structs.replace(a_cluster("any"), spec=None), allow_insecure=False)

    assert isinstance(missing, Observation)
    assert missing.reason == "SpecMissing"
