# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""ns-2: runs by the scripts of ``bench/ns2``, and its recorded results, for readers without it."""

import shutil
import subprocess
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from quench.config.yaml_file import YamlFile
from quench.errors import ConfigError
from quench.places import NS2
from quench_switch.outside.files import write_files
from quench_topologies.papers import declared

from quench_experiments.comparison.cases import N1, N2, Case, Network
from quench_experiments.comparison.outcome import Outcome, Spread
from quench_experiments.errors import ComparisonError

REFERENCE = NS2 / "reference.yaml"
NETWORKS = NS2 / "networks.tcl"
NETWORKS_HEADER = """\
# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
# The networks of quench_topologies/papers/declared.py, which 'python -m quench_experiments.comparison.ns2' writes here.
# Times in s, rates in bit/s, depths in packets.
"""
TIME_LIMIT_S = 600.0
"""A run takes seconds."""


def find_ns() -> Path | None:
    """The program ns, where it is installed (Debian's package is ns2)."""
    found = shutil.which("ns")
    return Path(found) if found else None


def network_options(network: Network) -> dict[str, object]:
    """The options of a network's script that say what the network is."""
    options: dict[str, object] = {
        "rate": network.rate_bps,
        "delay": network.delay_s,
        "access_rate": network.access_rate_bps,
        "access_delay": network.access_delay_s,
        "minth": network.minth_pkts,
        "maxth": network.maxth_pkts,
        "buffer": network.buffer_pkts,
        "maxp": network.maxp,
    }
    if network.reverse_loss is not None:
        return {**options, "loss": network.reverse_loss}
    return {
        **options,
        "sink_delay": network.sink_delay_s,
        "byte_mode": str(network.byte_mode).lower(),
        "kind": network.recovery.capitalize(),
    }


def networks_tcl() -> str:
    """The text of ``networks.tcl``: the scripts' defaults, from the networks as they are declared."""
    g1 = declared.G1
    networks: dict[str, dict[str, object]] = {
        "n1": network_options(N1),
        "n2": network_options(N2),
        "g1": {
            "rate": float(g1.rate_bps),
            "delay": g1.delay_s,
            "access_rate": float(g1.source.rate_bps),
            "access_delay": g1.source.delay_s,
            "buffer": round(g1.buffer.value),
        },
    }
    lines = (
        f"    {name} {{{' '.join(f'{option} {value}' for option, value in options.items())}}}\n"
        for name, options in networks.items()
    )
    return f"{NETWORKS_HEADER}array set networks {{\n{''.join(lines)}}}\n"


def command(ns: Path, case: Case, seed: int) -> list[str]:
    """The command line that runs a case."""
    options = {
        "seed": seed,
        "ecn": int(case.scheme == "ecn"),
        **network_options(case.network),
        "start_spread": case.start_spread_s,
        "warmup": case.warmup_s,
        "duration": case.duration_s,
    }
    script = "reverse_loss.tcl"
    if case.network.reverse_loss is None:
        script = "dumbbell.tcl"
        options |= {"flows": case.flows, "plain_flows": case.plain_flows}
    return [str(ns), str(NS2 / script), *(f"{name}={value}" for name, value in options.items())]


def printed(words: list[str], run: str) -> str:
    """The output of a run of ns-2. Raises ComparisonError, which begins with the run's name."""
    try:
        ended = subprocess.run(words, capture_output=True, text=True, timeout=TIME_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise ComparisonError(f"{run}: ns-2 did not end within {TIME_LIMIT_S:g} s: '{' '.join(words)}'") from None
    if ended.returncode != 0:
        said = (ended.stderr or ended.stdout).strip().splitlines() or ["nothing"]
        raise ComparisonError(f"{run}: ns-2 failed with status {ended.returncode} and said: {said[-1]}")
    return ended.stdout


def run(ns: Path, case: Case, seed: int) -> Outcome:
    """One run of ns-2. Raises ComparisonError."""
    text = printed(command(ns, case, seed), case.key)
    try:
        return Outcome.model_validate_json(text)
    except ValidationError as error:
        reason = error.errors()[0]
        place = ".".join(map(str, reason["loc"]))
        raise ComparisonError(f"{case.key}: what ns-2 printed is not a result: {place}: {reason['msg']}") from None


HEADER = """\
# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
# ns-2's results in the settings of experiments/quench_experiments/comparison/cases.py. Shares and not per cent; bytes;
# [mean, standard deviation of one run]. "measured" is written by 'quench experiment compare ns2 --record'; "extended"
# was entered by hand.
"""


class Measured(BaseModel):
    """Runs of stock ns-2 with the scripts beside the file."""

    model_config = ConfigDict(extra="forbid")

    version: str
    seeds: list[int]
    cases: dict[str, dict[str, tuple[float, float]]]


class Extended(BaseModel):
    """Runs of an ns-2 with source quench added to it."""

    model_config = ConfigDict(extra="forbid")

    how: str
    cases: dict[str, dict[str, tuple[float, float] | float]]


class Reference(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid")

    measured: Measured
    extended: Extended

    def of(self, key: str) -> dict[str, Spread]:
        """Each known metric of a case; empty where nothing is known."""
        if key in self.measured.cases:
            return {name: Spread(mean=mean, sd=sd) for name, (mean, sd) in self.measured.cases[key].items()}
        return {
            name: Spread(mean=value[0], sd=value[1]) if isinstance(value, tuple) else Spread(mean=value)
            for name, value in self.extended.cases.get(key, {}).items()
        }


def read_reference(path: Path) -> Reference:
    """The file. Raises ComparisonError."""
    try:
        return Reference.model_validate(YamlFile(path).values)
    except ConfigError as error:
        raise ComparisonError(str(error)) from None
    except ValidationError as error:
        reason = error.errors()[0]
        raise ComparisonError(f"{path}: {'.'.join(map(str, reason['loc']))}: {reason['msg']}") from None


def write_measured(path: Path, measured: Measured) -> None:
    """Put new measurements into the file; the rest stays."""
    reference = read_reference(path)
    content = {
        "measured": {
            "version": measured.version,
            "seeds": measured.seeds,
            "cases": {
                key: {name: [_short(value) for value in spread] for name, spread in metrics.items()}
                for key, metrics in measured.cases.items()
            },
        },
        "extended": reference.extended.model_dump(mode="json"),
    }
    text = yaml.safe_dump(content, sort_keys=False, width=150, default_flow_style=None, allow_unicode=True)
    write_files((path, HEADER + text))


def _short(value: float) -> float:
    """Six digits: more than the seeds agree on."""
    return float(f"{value:.6g}")


if __name__ == "__main__":
    write_files((NETWORKS, networks_tcl()))
