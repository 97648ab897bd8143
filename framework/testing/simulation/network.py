"""Between one process and the clusters that it talks to."""

from framework.clock import Clock


class Network:
    """Lasts over all lives of the process. The cluster of the process itself has the empty name."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._hangs_until: dict[str, float] = {}
        self._is_cut_until: dict[str, float] = {}

    def swallow(self, cluster: str, seconds: float) -> None:
        """Nothing gets there or back, and nobody is told."""
        self._hangs_until[cluster] = self._clock.monotonic() + seconds

    def cut(self, cluster: str, seconds: float) -> None:
        """No connection can be made."""
        self._is_cut_until[cluster] = self._clock.monotonic() + seconds

    def silence(self, cluster: str) -> float:
        """For how many seconds nothing gets there or back."""
        return max(0.0, self._hangs_until.get(cluster, 0.0) - self._clock.monotonic())

    def is_cut(self, cluster: str) -> bool:
        return self._clock.monotonic() < self._is_cut_until.get(cluster, 0.0)
