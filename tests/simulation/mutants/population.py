"""All mutants."""

from tests.simulation.mutants import (
    hand_written,
    of_clusters,
    of_databases,
    of_laf,
    of_leases,
    of_oracles,
    of_peer_pod_configs,
    of_peer_pod_reviews,
    of_peer_pods,
    of_the_framework,
    of_the_repository,
    of_time_travel,
    of_webhooks,
    of_workers,
)
from tests.simulation.mutants.mutant import Mutant

MUTANTS = (
    *hand_written.MUTANTS,
    *of_databases.MUTANTS,
    *of_the_repository.MUTANTS,
    *of_the_framework.MUTANTS,
    *of_time_travel.MUTANTS,
    *of_leases.MUTANTS,
    *of_webhooks.MUTANTS,
    *of_clusters.MUTANTS,
    *of_laf.MUTANTS,
    *of_peer_pod_configs.MUTANTS,
    *of_peer_pods.MUTANTS,
    *of_peer_pod_reviews.MUTANTS,
    *of_workers.MUTANTS,
    *of_oracles.MUTANTS,
)


def mutant_named(name: str) -> Mutant:
    return next(mutant for mutant in MUTANTS if mutant.name == name)
