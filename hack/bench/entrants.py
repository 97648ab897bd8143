"""Who takes part."""

import msgspec

_PACKAGE = "hack.bench.contestants"
WINDLASS, WINDLASS_LIST, KUBERNETES, KOPF = "windlass", "windlass, list mode", "kubernetes", "kopf"


class Entrant(msgspec.Struct, frozen=True):
    name: str
    watch: str
    # Empty: this entrant reconciles no differently from another one.
    reconcile: str = ""
    arguments: tuple[str, ...] = ()


ENTRANTS = (
    Entrant(WINDLASS, f"{_PACKAGE}.windlass_watch", f"{_PACKAGE}.windlass_reconcile"),
    Entrant(WINDLASS_LIST, f"{_PACKAGE}.windlass_watch", arguments=("--list",)),
    Entrant(KUBERNETES, f"{_PACKAGE}.kubernetes_watch", f"{_PACKAGE}.kubernetes_reconcile"),
    Entrant(KOPF, f"{_PACKAGE}.kopf_watch", f"{_PACKAGE}.kopf_reconcile"),
)
KUBERNETES_INFORMER = f"{_PACKAGE}.kubernetes_informer"
WRITER = "hack.bench.writer"
REPLAY = "hack.bench.replay"
