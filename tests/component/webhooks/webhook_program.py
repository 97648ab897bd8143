"""A process with one webhook: `webhook_program.py FOLDER`, where FOLDER holds tls.crt and tls.key.

It prints its port, and ends when its standard input does.
"""

import sys
from pathlib import Path

import msgspec
from prometheus_client import CollectorRegistry

from apis.core.v1 import ConfigMap
from framework.client import ClusterAddress, StaticCredentials, connect
from framework.clock import SystemClock
from framework.log import configure_logging
from framework.runtime import ThreadRuntime
from framework.webhooks import AdmissionRequest, Denied, WebhookOptions, Webhooks
from framework.webhooks.options import WEBHOOK_HTTP


def refuse_bad(request: AdmissionRequest[ConfigMap]) -> None:
    if "bad" in request.object.data:
        raise Denied("bad data")


def main(folder: Path, head_seconds: float) -> None:
    configure_logging()
    client_ca = folder / "client-ca.crt"
    options = WebhookOptions(
        address="127.0.0.1:0",
        certificate_folder=folder,
        client_ca_file=client_ca if client_ca.exists() else None,
        client_names=("kube-apiserver",) if client_ca.exists() else (),
        http=msgspec.structs.replace(WEBHOOK_HTTP, head_seconds=head_seconds, body_seconds=head_seconds),
    )
    webhooks = Webhooks(
        connect(StaticCredentials(ClusterAddress("https://127.0.0.1:1"))),
        options,
        clock=SystemClock(),
        runtime=ThreadRuntime(),
        registry=CollectorRegistry(),
    )
    webhooks.validate(ConfigMap, refuse_bad)
    webhooks.start()
    print(webhooks.port, flush=True)  # noqa: T201 - this is how it tells
    sys.stdin.read()
    webhooks.stop(5.0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
