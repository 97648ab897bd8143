import math

import pytest

from framework.testing.virtual_time import VirtualTime
from framework.workqueue import ExponentialPerItem, MaxOf, TokenBucket, default_rate_limiter


def test_the_delay_doubles_with_each_failure_up_to_the_maximum() -> None:
    limiter = ExponentialPerItem(base_seconds=1.0, max_seconds=5.0)

    assert [limiter.when("a") for _ in range(5)] == [1, 2, 4, 5, 5]


def test_each_item_has_its_own_delay() -> None:
    limiter = ExponentialPerItem(base_seconds=1.0)
    limiter.when("a")
    limiter.when("a")

    assert limiter.when("b") == 1.0
    assert (limiter.num_requeues("a"), limiter.num_requeues("b")) == (2, 1)


def test_a_forgotten_item_starts_again_with_the_base() -> None:
    limiter = ExponentialPerItem(base_seconds=1.0)
    limiter.when("a")

    limiter.forget("a")
    limiter.forget("never seen")

    assert limiter.num_requeues("a") == 0
    assert limiter.when("a") == 1.0


def test_a_huge_number_of_failures_does_not_overflow() -> None:
    limiter = ExponentialPerItem()
    limiter._failures["a"] = 10**9

    assert limiter.when("a") == 1000.0


@pytest.mark.parametrize(("base", "maximum"), [(0.0, 1.0), (-1.0, 1.0), (2.0, 1.0), (1.0, math.inf)])
def test_an_exponential_limiter_without_a_sensible_range_is_refused(base: float, maximum: float) -> None:
    with pytest.raises(ValueError, match="0 < base <= max"):
        ExponentialPerItem(base, maximum)


def test_the_default_is_per_item_from_five_milliseconds() -> None:
    limiter = default_rate_limiter()

    assert [limiter.when(item) for item in range(1000)] == [0.005] * 1000


def test_a_bucket_lets_its_burst_through_and_then_spaces_items_by_its_rate() -> None:
    limiter = TokenBucket(rate=10, burst=2, clock=VirtualTime().clock)

    assert [limiter.when(item) for item in "abcd"] == pytest.approx([0, 0, 0.1, 0.2])


def test_a_bucket_fills_with_time_but_not_over_its_burst() -> None:
    time = VirtualTime()
    limiter = TokenBucket(rate=10, burst=2, clock=time.clock)
    for item in "abcd":
        limiter.when(item)

    time.advance(0.2)
    after_payback = limiter.when("e")
    time.advance(3600)

    assert after_payback == pytest.approx(0.1)
    assert [limiter.when(item) for item in "abc"] == pytest.approx([0, 0, 0.1])


def test_a_bucket_counts_no_failures() -> None:
    limiter = TokenBucket(clock=VirtualTime().clock)
    limiter.when("a")

    limiter.forget("a")

    assert limiter.num_requeues("a") == 0


@pytest.mark.parametrize(("rate", "burst"), [(0, 1), (-1, 1), (1, 0)])
def test_a_bucket_that_lets_nothing_through_is_refused(rate: float, burst: int) -> None:
    with pytest.raises(ValueError, match="rate > 0 and burst > 0"):
        TokenBucket(rate, burst, clock=VirtualTime().clock)


def test_max_of_takes_the_longest_delay_and_asks_every_limiter() -> None:
    per_item = ExponentialPerItem(base_seconds=0.5)
    limiter = MaxOf(per_item, TokenBucket(rate=1, burst=1, clock=VirtualTime().clock))

    delays = [limiter.when("a"), limiter.when("b"), limiter.when("c")]
    counted = limiter.num_requeues("a")
    limiter.forget("a")

    assert delays == pytest.approx([0.5, 1.0, 2.0])
    assert (counted, limiter.num_requeues("a")) == (1, 0)


def test_max_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        MaxOf()
