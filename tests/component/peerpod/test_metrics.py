"""What waits is counted by cloud and by reason, and names that users make up are no labels."""

from prometheus_client import CollectorRegistry

from controllers.peerpod.metrics import DeletionMetrics, TerminatingCollector
from controllers.peerpod.provider import Permanent
from tests.component.peerpod.stage import Stage


def test_those_that_wait_are_counted_by_cloud_and_reason(stage: Stage) -> None:
    stage.add_settings()
    stage.cloud.always(Permanent("DeletionRefused", "it is protected"))
    stage.add("alive", "vm-1")
    stage.add("refused", "vm-2")
    stage.add("strange", "vm-3", provider="nimbus")
    stage.add("waiting", "vm-4")
    for name in ("refused", "strange", "waiting"):
        stage.delete(name)
    for name in ("refused", "strange"):
        stage.reconcile(name)
    registry = CollectorRegistry()
    registry.register(TerminatingCollector(stage.peer_pods, DeletionMetrics(CollectorRegistry(), frozenset({"test"}))))

    def count(provider: str, reason: str) -> float | None:
        return registry.get_sample_value("peerpods_terminating", {"provider": provider, "reason": reason})

    seen = [("test", "DeletionRefused"), ("other", "ProviderUnknown"), ("test", "")]
    assert [count(*labels) for labels in seen] == [1, 1, 1]
    assert count("nimbus", "ProviderUnknown") is None
