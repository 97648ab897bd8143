"""What the roll-out must be allowed to do, beside following what it has made."""

from controllers.peerpodconfig.webhook.names import (
    AUTHORITY_SECRET,
    CONFIGURATION,
    CONFIGURATION_NAME,
    DEPLOYMENT,
    DEPLOYMENT_NAME,
    SECRET,
    SERVICE,
    SERVICE_NAME,
    SERVING_SECRET,
)
from controllers.peerpods.options import PeerPodOptions
from framework.rights import Right


def webhook_rights(options: PeerPodOptions) -> tuple[Right, ...]:
    here = options.namespace
    if options.webhook_mode == "disabled":
        return _takedown_rights(here)
    return (
        Right("create", CONFIGURATION),
        *(Right(verb, CONFIGURATION, name=CONFIGURATION_NAME) for verb in ("get", "patch", "delete")),
        *(Right(verb, SECRET, namespace=here) for verb in ("get", "create")),
        *(
            Right(verb, SECRET, name=name, namespace=here)
            for name in (AUTHORITY_SECRET, SERVING_SECRET)
            for verb in ("patch", "delete")
        ),
        *(
            Right(verb, each, namespace=here)
            for each in (DEPLOYMENT, SERVICE)
            for verb in ("get", "create", "patch", "delete")
        ),
    )


def _takedown_rights(here: str) -> tuple[Right, ...]:
    """Without them, what an earlier mode has left stays."""
    operands = (
        (DEPLOYMENT, DEPLOYMENT_NAME),
        (SERVICE, SERVICE_NAME),
        (SECRET, AUTHORITY_SECRET),
        (SECRET, SERVING_SECRET),
    )
    return (
        *(Right(verb, CONFIGURATION, name=CONFIGURATION_NAME, is_optional=True) for verb in ("get", "delete")),
        *(
            Right(verb, each, name=name, namespace=here, is_optional=True)
            for each, name in operands
            for verb in ("get", "delete")
        ),
    )
