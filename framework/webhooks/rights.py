"""What a process must be allowed to do for its webhooks."""

from collections.abc import Iterable, Iterator

from apis.meta import Key, ResourceType
from framework.certificates.secret_store import SECRET
from framework.rights import Right
from framework.webhooks.configuration import CONFIGURATION_OF, name_of, secret_of
from framework.webhooks.options import WebhookOptions
from framework.webhooks.targets import CRD

_READ = ("get", "list", "watch")


def webhook_rights(
    options: WebhookOptions, configurations: Iterable[ResourceType], converted: Iterable[ResourceType]
) -> Iterator[Right]:
    """*configurations* are the kinds of those that there are hooks for."""
    if options.certificate_folder is not None:
        return
    yield from _rights(SECRET, secret_of(options), *_READ, "patch", "create")
    key = Key("", name_of(options))
    # One that an older program has left behind is removed.
    managed = CONFIGURATION_OF.values() if options.manages_configurations else ()
    # An apply that creates is a patch to us, and also a create to the server.
    changes = ("patch", "create", "delete") if managed else ("patch",)
    for resource_type in managed or configurations:
        yield from _rights(resource_type, key, *_READ, *changes)
    for each in converted:
        yield from _rights(CRD, Key("", each.name), *_READ, "patch")


def _rights(resource_type: ResourceType, key: Key, *verbs: str) -> Iterator[Right]:
    for verb in verbs:
        # To create one cannot be limited to a name.
        name = "" if verb == "create" else key.name
        yield Right(verb, resource_type, name=name, namespace=key.namespace)
