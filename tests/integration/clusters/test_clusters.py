"""What is claimed of embedded servers must be true of real ones: the same tests."""

from tests.component.clusters.test_clusters import (
    test_a_cluster_that_is_removed_is_asked_nothing_more,
    test_a_cluster_that_never_answers_keeps_no_controller_from_starting,
    test_a_cluster_that_restarts_is_followed_again_without_a_gap,
    test_a_cut_connection_is_told_and_mends_itself,
    test_a_hanging_cluster_takes_its_share_of_the_workers_and_all_other_keys_are_reconciled,
    test_a_kubeconfig_of_another_server_replaces_the_cache_by_what_is_there,
    test_a_refused_token_is_told_and_a_good_one_helps_at_once,
    test_a_server_of_another_authority_is_not_trusted,
    test_objects_of_a_cluster_that_joins_later_are_reconciled_with_its_name,
    test_rotated_credentials_are_used_by_the_same_client_and_watch_and_nothing_changes,
)

__all__ = [
    "test_a_cluster_that_is_removed_is_asked_nothing_more",
    "test_a_cluster_that_never_answers_keeps_no_controller_from_starting",
    "test_a_cluster_that_restarts_is_followed_again_without_a_gap",
    "test_a_cut_connection_is_told_and_mends_itself",
    "test_a_hanging_cluster_takes_its_share_of_the_workers_and_all_other_keys_are_reconciled",
    "test_a_kubeconfig_of_another_server_replaces_the_cache_by_what_is_there",
    "test_a_refused_token_is_told_and_a_good_one_helps_at_once",
    "test_a_server_of_another_authority_is_not_trusted",
    "test_objects_of_a_cluster_that_joins_later_are_reconciled_with_its_name",
    "test_rotated_credentials_are_used_by_the_same_client_and_watch_and_nothing_changes",
]
