"""Takes down what the roll-out has made."""

from apis.meta import Key
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
from controllers.peerpodconfig.webhook.own_objects import OwnObjects


class Takedown:
    def __init__(self, objects: OwnObjects, namespace: str) -> None:
        self._objects = objects
        self._namespace = namespace

    def remove(self) -> None:
        """All that is ours; the configuration first, as nobody would answer what it asks for."""
        self._objects.remove(CONFIGURATION, Key("", CONFIGURATION_NAME))
        self.remove_operands()
        for name in (AUTHORITY_SECRET, SERVING_SECRET):
            self._objects.remove(SECRET, Key(self._namespace, name))

    def remove_operands(self) -> None:
        self._objects.remove(DEPLOYMENT, Key(self._namespace, DEPLOYMENT_NAME))
        self._objects.remove(SERVICE, Key(self._namespace, SERVICE_NAME))
