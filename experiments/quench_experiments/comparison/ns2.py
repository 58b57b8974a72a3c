# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs ns-2 by the scripts of ``bench/ns2``."""

import shutil
import subprocess
from pathlib import Path

from pydantic import ValidationError

from quench_experiments.comparison.cases import Case
from quench_experiments.comparison.errors import ComparisonError
from quench_experiments.comparison.outcome import Outcome

SCRIPTS = Path(__file__).resolve().parents[3] / "bench" / "ns2"
REFERENCE = SCRIPTS / "reference.yaml"
TIME_LIMIT_S = 600.0
"""A run takes seconds; one that hangs shall not hold up the others for ever."""


def find_ns() -> Path | None:
    """The program ns, where it is installed (Debian's package is ns2)."""
    found = shutil.which("ns")
    return Path(found) if found else None


def command(ns: Path, case: Case, seed: int) -> list[str]:
    """The command line that runs a case."""
    network = case.network
    options: dict[str, object] = {
        "seed": seed,
        "ecn": int(case.scheme == "ecn"),
        "rate": network.rate_bps,
        "delay": network.delay_s,
        "access_rate": network.access_rate_bps,
        "access_delay": network.access_delay_s,
        "minth": network.minth_pkts,
        "maxth": network.maxth_pkts,
        "buffer": network.buffer_pkts,
        "maxp": network.maxp,
        "start_spread": case.start_spread_s,
        "warmup": case.warmup_s,
        "duration": case.duration_s,
    }
    if network.reverse_loss is None:
        script = "dumbbell.tcl"
        options |= {
            "flows": case.flows,
            "plain_flows": case.plain_flows,
            "sink_delay": network.sink_delay_s,
            "byte_mode": str(network.byte_mode).lower(),
            "kind": network.recovery.capitalize(),
        }
    else:
        script = "reverse_loss.tcl"
        options["loss"] = network.reverse_loss
    return [str(ns), str(SCRIPTS / script), *(f"{name}={value}" for name, value in options.items())]


def run(ns: Path, case: Case, seed: int) -> Outcome:
    """One run of ns-2. Raises ComparisonError."""
    words = command(ns, case, seed)
    try:
        ended = subprocess.run(words, capture_output=True, text=True, timeout=TIME_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise ComparisonError(f"{case.key}: ns-2 did not end within {TIME_LIMIT_S:g} s: '{' '.join(words)}'") from None
    if ended.returncode != 0:
        said = (ended.stderr or ended.stdout).strip().splitlines() or ["nothing"]
        raise ComparisonError(f"{case.key}: ns-2 failed with status {ended.returncode} and said: {said[-1]}")
    try:
        return Outcome.model_validate_json(ended.stdout)
    except ValidationError as error:
        reason = error.errors()[0]
        place = ".".join(map(str, reason["loc"]))
        raise ComparisonError(f"{case.key}: what ns-2 printed is not a result: {place}: {reason['msg']}") from None
