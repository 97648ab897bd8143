"""What can be chosen about webhooks."""

from pathlib import Path
from typing import Any, Literal

import msgspec

from apis.meta import Key
from framework.certificates import CertificateOptions
from framework.http.options import MEBIBYTE, HttpOptions

Operation = Literal["CREATE", "UPDATE", "DELETE", "CONNECT", "*"]
FailurePolicy = Literal["Fail", "Ignore"]

# Those of controller-runtime where it has one.
WEBHOOK_HTTP = HttpOptions(
    max_head_bytes=MEBIBYTE,
    max_headers=100,
    max_body_bytes=7 * MEBIBYTE,
    max_bodies_bytes=64 * MEBIBYTE,
    max_connections=256,
    head_seconds=32.0,
    body_seconds=30.0,
    idle_seconds=90.0,
)


class HookOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Of one webhook; the words are those of its entry in the webhook configuration."""

    operations: tuple[Operation, ...] = ("CREATE", "UPDATE")
    failure_policy: FailurePolicy = "Fail"
    timeout_seconds: int = 10
    # "NoneOnDryRun" for a handler that does something elsewhere, and looks at `dry_run`.
    side_effects: Literal["None", "NoneOnDryRun"] = "None"
    # Of the kind itself; "status" adds the subresource of that name.
    subresources: tuple[str, ...] = ("",)
    # CEL by name.
    match_conditions: dict[str, str] = {}
    # None: everywhere, but kinds that the API server brings itself not in kube-system and not in our own namespace.
    namespace_selector: dict[str, Any] | None = None
    object_selector: dict[str, Any] = {}
    reinvocation_policy: Literal["Never", "IfNeeded"] = "Never"


class WebhookOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Where webhooks are served, how the API server finds them, and who vouches for them."""

    address: str = ":9443"
    # The name of the validating and of the mutating webhook configuration; by default that of the service, with its
    # namespace. Of two programs with the same name, each would undo what the other one says.
    name: str = ""
    # How the API server reaches us: a Service in front of this process, or a URL such as https://127.0.0.1:9443;
    # "{port}" in it becomes the port of the address, which may be 0 for any free one.
    service: Key | None = None
    service_port: int = 443
    url: str = ""
    # Whether the manager makes the webhook configurations and the conversion of definitions what the hooks say;
    # else they are there already, and only get the CA bundle.
    manages_configurations: bool = True
    # Issued by the manager itself, and kept in a Secret.
    certificates: CertificateOptions = CertificateOptions()
    # Or taken from tls.crt and tls.key in this folder, as cert-manager and others mount them; then somebody else
    # injects the CA bundle.
    certificate_folder: Path | None = None
    # Clients must show a certificate of this authority; and, if names are given, one of these.
    client_ca_file: Path | None = None
    client_names: tuple[str, ...] = ()
    http: HttpOptions = WEBHOOK_HTTP
