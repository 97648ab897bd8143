"""Who takes part."""

import msgspec

_PACKAGE = "hack.bench.contestants"
WINDLASS, KUBERNETES, KOPF = "windlass", "kubernetes", "kopf"
WINDLASS_LIST, WINDLASS_PLAIN = "windlass, list mode", "windlass, plain"


class Entrant(msgspec.Struct, frozen=True):
    name: str
    # Empty: this entrant watches, or reconciles, no differently from another one.
    watch: str = ""
    reconcile: str = ""
    arguments: tuple[str, ...] = ()
    # Another checkout of this repository whose code takes part.
    checkout: str = ""

    def takes_part_in(self, measure: str) -> bool:
        return bool(self.reconcile if measure == "reconcile" else self.watch)


ENTRANTS = (
    Entrant(WINDLASS, f"{_PACKAGE}.windlass_watch", f"{_PACKAGE}.windlass_reconcile"),
    Entrant(WINDLASS_LIST, f"{_PACKAGE}.windlass_watch", arguments=("--list",)),
    # Without a journal and without a look at own writes.
    Entrant(WINDLASS_PLAIN, reconcile=f"{_PACKAGE}.windlass_reconcile", arguments=("--plain",)),
    Entrant(KUBERNETES, f"{_PACKAGE}.kubernetes_watch", f"{_PACKAGE}.kubernetes_reconcile"),
    Entrant(KOPF, f"{_PACKAGE}.kopf_watch", f"{_PACKAGE}.kopf_reconcile"),
)


def of_checkout(folder: str) -> Entrant:
    """Windlass as it is in *folder*: the same work, side by side, shows what a change costs."""
    return Entrant(
        f"windlass in {folder}",
        f"{_PACKAGE}.windlass_watch",
        f"{_PACKAGE}.windlass_reconcile",
        checkout=folder,
    )


KUBERNETES_INFORMER = f"{_PACKAGE}.kubernetes_informer"
WRITER = "hack.bench.writer"
REPLAY = "hack.bench.replay"
