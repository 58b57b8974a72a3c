# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One simulation of N1 in a process of its own, so that its time and its memory are its own. Prints a line of JSON.

Usage: one_run.py FLOWS RATE_BPS DURATION_S. Buffer and thresholds grow with the rate, as the number of flows that fill
it does.
"""

import json
import resource
import sys
import time
from dataclasses import replace

from quench_experiments.comparison.cases import N1, Case
from quench_experiments.comparison.ours import BOTTLENECK, scenario
from quench_experiments.simulation.run import simulate


def main() -> None:
    """Run it."""
    flows, rate_bps, duration_s = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    scale = rate_bps / N1.rate_bps
    network = replace(
        N1,
        rate_bps=rate_bps,
        access_rate_bps=N1.access_rate_bps * scale,
        minth_pkts=round(N1.minth_pkts * scale),
        maxth_pkts=round(N1.maxth_pkts * scale),
        buffer_pkts=round(N1.buffer_pkts * scale),
    )
    case = Case("bench", network, "ecn", flows, warmup_s=duration_s / 5, duration_s=duration_s)
    description = scenario(case, seed=1)
    before = _peak_bytes()
    began = time.perf_counter()
    result = simulate(description)
    wall_s = time.perf_counter() - began
    link = result.link(f"{BOTTLENECK}.ab")
    measured = {
        "flows": flows,
        "rate_bps": rate_bps,
        "simulated_s": duration_s,
        "wall_s": wall_s,
        # All packets, as if the bottleneck had been as busy before the measurement.
        "bottleneck_pkts": link["tx_pkts"] / (1 - case.warmup_s / duration_s),
        "memory_before_bytes": before,
        "memory_peak_bytes": _peak_bytes(),
    }
    sys.stdout.write(json.dumps(measured) + "\n")


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
