# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quench.isq import Limiter, RateLimit
from quench.isq.fairness import MAX_ESTABLISHED, MAX_PORTS, Fairness, Standing
from quench.isq.limiter import MAX_SOURCES

SOURCE = RateLimit(1000, 100)
TOTAL = RateLimit(10_000, 1000)
REAL = [bytes([10, 0, 0, number]) for number in range(10)]
REAL_PER_S = 100


REAL_PORT = 1


def flood(per_s: int, duration_s: float, spoofed: int | None, port: int) -> Iterator[tuple[float, int, bytes]]:
    """Ten sources with 100 packets a second each, among ``per_s`` from ``spoofed`` addresses (None: ever new ones)."""
    rng = random.Random(1)
    fake_s, real_s = 0.0, 0.0
    count = 0
    while min(fake_s, real_s) < duration_s:
        if fake_s < real_s:
            count += 1
            number = rng.getrandbits(32) if spoofed is None else count % spoofed
            yield fake_s, port, b"\xc0" + number.to_bytes(5, "big")
            fake_s += rng.expovariate(per_s)
        else:
            yield real_s, REAL_PORT, rng.choice(REAL)
            real_s += rng.expovariate(REAL_PER_S * len(REAL))


def share_of_real(limiter: Limiter, packets: Iterator[tuple[float, int, bytes]], from_s: float) -> dict[bytes, float]:
    """The share of each real source's packets that was answered, from a time on."""
    asked, answered = Counter[bytes](), Counter[bytes]()
    for now_s, port, source in packets:
        refused = limiter.refuses(port, source, now_s)
        if source in REAL and now_s >= from_s:
            asked[source] += 1
            answered[source] += refused is None
    return {source: answered[source] / asked[source] for source in REAL}


def test_addresses_that_come_once_starve_nobody() -> None:
    """200 000 a second: without shares each source would get 5 %."""
    shares = share_of_real(Limiter(SOURCE, TOTAL, b"seed"), flood(200_000, 1.0, None, REAL_PORT), 0.3)
    assert min(shares.values()) > 0.95


def test_addresses_that_come_again_and_again_get_their_share_and_no_more() -> None:
    """500 forged sources with 100 packets a second each look like real ones: each gets 1/510 of the limit."""
    shares = share_of_real(Limiter(SOURCE, TOTAL, b"seed"), flood(50_000, 4.0, 500, REAL_PORT), 1.0)
    fair = TOTAL.rate_per_s / 510 / REAL_PER_S
    assert min(shares.values()) > fair / 2
    assert max(shares.values()) < fair * 2


@pytest.mark.parametrize(("spoofed", "per_s"), [(1000, 30_000), (10_000, 100_000)])
def test_a_forger_of_many_addresses_gets_the_share_of_the_port_by_which_it_sends(spoofed: int, per_s: int) -> None:
    """With shares for addresses only, each real source had 1/1010 of the limit or less, a tenth of what it needs."""
    shares = share_of_real(Limiter(SOURCE, TOTAL, b"seed"), flood(per_s, 1.5, spoofed, 2), 0.5)
    assert min(shares.values()) > 0.95


def test_a_forger_that_fills_the_table_pushes_out_its_own() -> None:
    fairness = Fairness(10_000, b"seed")
    for _ in range(8):
        fairness.standing(REAL_PORT, b"real", 0.0)
    for number in range(MAX_ESTABLISHED + 1000):
        for _ in range(8):
            fairness.standing(2, number.to_bytes(4, "big"), 0.0)
    assert fairness._established == MAX_ESTABLISHED
    assert fairness.standing(REAL_PORT, b"real", 0.0) is Standing.WITHIN_SHARE


def test_an_address_that_is_forged_by_another_port_keeps_its_share() -> None:
    limiter = Limiter(RateLimit(10, 2), None)
    assert [limiter.refuses(2, b"real", 0.0) for _ in range(3)] == [None, None, "source"]
    assert limiter.refuses(REAL_PORT, b"real", 0.0) is None


def test_a_port_within_its_share_goes_before_one_beyond_also_with_new_sources() -> None:
    fairness = Fairness(100, b"seed")
    for _ in range(30):
        loud = fairness.standing(2, b"loud", 0.0)
        fairness.granted(2, b"loud", 0.0)
    assert loud is Standing.BOTH_BEYOND
    assert fairness.standing(2, b"other", 0.0) is Standing.PORT_BEYOND_SOURCE_NEW
    assert fairness.standing(REAL_PORT, b"first", 0.0) is Standing.SOURCE_NEW < loud


def test_without_contention_nothing_is_refused() -> None:
    shares = share_of_real(Limiter(SOURCE, TOTAL, b"seed"), flood(5000, 1.0, None, REAL_PORT), 0.0)
    assert min(shares.values()) == 1


def test_a_source_beyond_its_share_leaves_the_others_theirs() -> None:
    """Without a limit for each source: one sends a hundred times as much as the others."""
    limiter = Limiter(None, RateLimit(1000, 100), b"seed")
    asked, answered = Counter[str](), Counter[str]()
    for tick in range(300_000):
        name = "loud" if tick % 100 else f"quiet{tick // 100 % 3}"
        now_s = tick / 30_000
        refused = limiter.refuses(REAL_PORT, name.encode(), now_s)
        if now_s >= 2:
            asked[name] += 1
            answered[name] += refused is None
    assert all(answered[name] / asked[name] > 0.9 for name in asked if name != "loud")
    assert answered["loud"] / 8 > 600, "what the others leave is the loud one's"


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(0, 0.2)), max_size=200), st.floats(0.1, 100), st.integers(1, 20))
def test_no_more_is_sent_than_the_limit_says(packets: list[tuple[int, float]], rate_per_s: float, burst: int) -> None:
    limiter = Limiter(None, RateLimit(rate_per_s, burst), b"seed")
    now_s = sent = 0.0
    for source, gap_s in packets:
        now_s += gap_s
        sent += limiter.refuses(source % 2, bytes([source]), now_s) is None
    assert sent <= burst + rate_per_s * now_s + 1e-6


@given(st.lists(st.tuples(st.binary(min_size=4, max_size=4), st.floats(0, 1)), max_size=100), st.binary(max_size=16))
def test_a_seed_makes_it_repeatable(packets: list[tuple[bytes, float]], seed: bytes) -> None:
    limiters = [Limiter(RateLimit(5, 2), RateLimit(10, 4), seed) for _ in range(2)]
    now_s = 0.0
    for source, gap_s in packets:
        now_s += gap_s
        first, second = (limiter.refuses(source[0] % 3, source, now_s) for limiter in limiters)
        assert first == second


@pytest.mark.parametrize("established", [False, True])
def test_memory_is_bounded(established: bool) -> None:
    fairness = Fairness(1000, b"seed")
    for number in range(MAX_ESTABLISHED + 5000):
        for _ in range(8 if established else 1):
            fairness.standing(number % 100, number.to_bytes(4, "big"), 0.0)
    sources = sum(len(port.sources) for port in fairness._ports.values())
    assert sources == fairness._established == (MAX_ESTABLISHED if established else 0)
    for port in range(MAX_PORTS + 100):
        fairness.standing(port, b"", 0.0)
    assert len(fairness._ports) == MAX_PORTS
    assert fairness._established == sum(len(port.sources) for port in fairness._ports.values())
    fairness.standing(1, b"late", 100.0)
    assert (len(fairness._ports), fairness._established) == (1, 0)
    limiter = Limiter(SOURCE, None)
    for number in range(MAX_SOURCES + 5000):
        limiter.refuses(number % 7, number.to_bytes(4, "big"), 0.0)
    assert len(limiter._sources) == MAX_SOURCES


def test_a_quiet_source_is_new_again() -> None:
    fairness = Fairness(1000, b"seed")
    standings = [fairness.standing(1, b"a", second * 0.1) for second in range(9)]
    assert standings == [Standing.SOURCE_NEW] * 7 + [Standing.WITHIN_SHARE] * 2
    assert fairness.standing(1, b"a", 100.0) is Standing.SOURCE_NEW
