"""How much of everything."""

import msgspec


class Sizes(msgspec.Struct, frozen=True):
    """What is not here is as windlass has it by default: 4 workers, a probe every 30 s, 10 s for a remote request."""

    real_clusters: int = 3
    embedded_clusters: int = 17
    instances: int = 2_000
    # Namespaces, which are the same on all clusters.
    tenants: int = 50
    probe_seconds: float = 30.0
    quiet_probes: int = 3
    changes: int = 400
    # Of the pace at which the Instances converged. Who measures how long a change takes must not queue changes up:
    # half of the workers may be held by the cluster that hangs, and the other half must do with room to spare.
    share_of_pace: float = 0.25

    @property
    def clusters(self) -> int:
        return self.real_clusters + self.embedded_clusters


QUICK = Sizes(
    real_clusters=1,
    embedded_clusters=3,
    instances=60,
    tenants=6,
    probe_seconds=5.0,
    changes=60,
)
