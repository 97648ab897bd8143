"""The flags of the API, beside those of scripts' storage that it shares with the builds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from controllers.cfapi.options import MEBIBYTE, CfApiOptions
from controllers.options import Flag, address, duration, number_of_at_least
from framework.errors import ConfigurationError

CF_API_MODE = "cf-api"
CF_API_MODES = {CF_API_MODE: "serves the API that wrangler deploys Workers with"}
_MODES = (CF_API_MODE,)
_DEFAULT = CfApiOptions()
CF_API_FLAGS = (
    Flag("listen", "where the API is served, probes and metrics with it", _DEFAULT.listen, address, _MODES),
    Flag("tls-cert", "PEM file of the API's certificate; empty: plain HTTP", modes=_MODES),
    Flag("tls-key", "PEM file of the certificate's key", modes=_MODES),
    Flag(
        "max-upload-bytes",
        "of one upload, all modules together",
        str(25 * MEBIBYTE),
        number_of_at_least(1024),
        _MODES,
    ),
    Flag("release-wait", "how long an upload waits for its WorkerRelease", "10s", duration, _MODES),
)


def cf_api_options(options: Mapping[str, Any]) -> CfApiOptions:
    """Raise ConfigurationError with the flag that is missing."""
    certificate, key = options["tls-cert"], options["tls-key"]
    if bool(certificate) != bool(key):
        raise ConfigurationError("-tls-cert and -tls-key go together; one is missing")
    if not options["listen"]:
        raise ConfigurationError("-listen is missing: the API must be served somewhere, e.g. 0.0.0.0:8080")
    return CfApiOptions(
        namespace=options["namespace"],
        listen=options["listen"],
        tls_certificate_file=Path(certificate) if certificate else None,
        tls_key_file=Path(key) if key else None,
        max_upload_bytes=options["max-upload-bytes"],
        release_wait_seconds=options["release-wait"],
        ingress_host=options.get("ingress-host", ""),
    )
