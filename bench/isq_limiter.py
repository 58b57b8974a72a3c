# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The share of ISQs that real sources get in a flood of forged ones: ``python bench/isq_limiter.py``.

Ten real sources with 100 packets a second each, and forged ones, all each packet due an ISQ, against the default
limits. The forged packets come in by the port of the real ones, or by another one.
"""

import argparse
import random
import time
from itertools import product

from quench.isq import Limiter, RateLimit

REAL = [bytes([10, 0, 0, number]) for number in range(10)]
REAL_PORT = 1
REAL_PER_S = 100
WARM_UP_S = 1.0


def main() -> None:
    """Print a line for each kind of flood."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=int, default=1_000_000, help="forged packets a second")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for forged, port in product((None, 100_000, 10_000, 1000), (REAL_PORT, REAL_PORT + 1)):
        name = "ever new" if forged is None else f"{forged}"
        where = "the same port" if port == REAL_PORT else "another port"
        share, spent_us = measured(arguments.rate, arguments.seconds, forged, port, random.Random(arguments.seed))
        line = f"{name:>9} forged sources by {where:>13}: real ones get {share:6.1%}, {spent_us:.2f} us a packet"
        print(line)  # noqa: T201


def measured(per_s: int, seconds: float, forged: int | None, port: int, rng: random.Random) -> tuple[float, float]:
    """The share of the real sources' packets that is answered after the warm-up, and microseconds a packet."""
    limiter = Limiter(RateLimit(1000, 100), RateLimit(10_000, 1000))
    asked, answered = 0, 0
    packets = 0
    fake_s = real_s = 0.0
    start = time.process_time()
    while real_s < seconds:
        packets += 1
        if fake_s < real_s:
            number = rng.getrandbits(32) if forged is None else rng.randrange(forged)
            limiter.refuses(port, b"\xc0" + number.to_bytes(5, "big"), fake_s)
            fake_s += rng.expovariate(per_s)
            continue
        refused = limiter.refuses(REAL_PORT, rng.choice(REAL), real_s)
        if real_s >= WARM_UP_S:
            asked += 1
            answered += refused is None
        real_s += rng.expovariate(REAL_PER_S * len(REAL))
    return answered / asked, (time.process_time() - start) / packets * 1e6


if __name__ == "__main__":
    main()
