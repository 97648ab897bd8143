"""Which node belongs to which PeerPodConfig, and how many VMs it has: from what is there, and nothing else."""

from collections.abc import Iterable, Sequence

import msgspec

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import Node
from controllers.peerpodconfig.validation import Wishes
from controllers.peerpods.names import CONFIG_LABEL


class Claim(msgspec.Struct, frozen=True):
    """What one config asks for; without *wishes* it is frozen: it keeps what it has, and gets nothing."""

    config: PeerPodConfig
    wishes: Wishes | None

    @property
    def uid(self) -> str:
        return self.config.metadata.uid


class Allocation(msgspec.Struct, frozen=True):
    """Every node has at most one winner, and every config that is not frozen its quantities, by the node's name."""

    # The uid of its config, by the node's name.
    winners: dict[str, str]
    # By the uid of the config; not for the frozen ones, of which nothing is changed.
    quantities: dict[str, dict[str, int]]
    # How many of the nodes that a config selects went to which other, by uids.
    lost: dict[str, dict[str, int]]


def allocate(claims: Sequence[Claim], nodes: Iterable[Node]) -> Allocation:
    """*claims* come in their order of precedence: who comes first has the first word."""
    winners: dict[str, str] = {}
    won: dict[str, list[str]] = {claim.uid: [] for claim in claims if claim.wishes is not None}
    lost: dict[str, dict[str, int]] = {claim.uid: {} for claim in claims}
    frozen = {claim.uid for claim in claims if claim.wishes is None}
    for node in sorted(nodes, key=_age):
        name, label = node.metadata.name, node.metadata.labels.get(CONFIG_LABEL, "")
        selecting = [claim.uid for claim in claims if claim.wishes and claim.wishes.selection.selects(node)]
        winner = label if label in frozen else next(iter(selecting), "")
        if not winner:
            continue
        winners[name] = winner
        if winner not in frozen:
            won[winner].append(name)
        for uid in selecting:
            if uid != winner:
                lost[uid][winner] = lost[uid].get(winner, 0) + 1
    wishes = {claim.uid: claim.wishes for claim in claims if claim.wishes is not None}
    return Allocation(winners, {uid: quantities(wishes[uid], names) for uid, names in won.items()}, lost)


def quantities(wishes: Wishes, names: Sequence[str]) -> dict[str, int]:
    """Of each node; a limit for all is divided so that nothing of it is lost."""
    if wishes.limit is None:
        return dict.fromkeys(names, 1)
    if wishes.is_per_node or not names:
        return dict.fromkeys(names, wishes.limit)
    share, rest = divmod(wishes.limit, len(names))
    return {name: share + (number < rest) for number, name in enumerate(names)}


def _age(node: Node) -> tuple[str, str]:
    created = node.metadata.creation_timestamp
    return created.isoformat() if created else "", node.metadata.name
