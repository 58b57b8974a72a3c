# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``make bench``: how fast data plane, simulator and command line are, and how the simulator's time and memory grow.

Every run is a process of its own, one at a time. Results go to the screen and to out/bench/bench.json.
"""

import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from quench_experiments.comparison.cases import N1, Case
from quench_experiments.comparison.ns2 import command, find_ns
from quench_switch.outside.files import write_files
from rich.console import Console
from rich.table import Table

REPOSITORY = Path(__file__).resolve().parents[1]
ONE_RUN = Path(__file__).with_name("one_run.py")
WAITS = Path(__file__).with_name("waits.py")
N1_45 = Case("bench-n1-45-ecn", N1, "ecn", 45)
"""Against ns-2: the largest of the papers' runs."""
SCALING = (
    ("flows", ((10, 100e6, 100.0), (30, 100e6, 100.0), (100, 100e6, 100.0), (300, 100e6, 100.0), (1000, 100e6, 100.0))),
    ("rate", ((200, 10e6, 1000.0), (200, 100e6, 100.0), (200, 1000e6, 10.0))),
)
"""(flows, rate, simulated time). The rate's runs all send as many packets."""
QUICK_SHARE = 0.1
"""The share of the simulated time of the runs above that --quick simulates."""
COMPLETED = ("quench ", "quench demo --scheme r", "quench net n1 --target e", "quench experiment run P1")
"""Lines for which a shell asks."""
MOST_COMMANDS = 12
BMV2_PKTS_PER_S = 38_000
"""About the rate of BMv2's performance build with such a pipeline over veth on two cores."""


class BenchError(Exception):
    """One line that says what, where and what to do."""


def main(
    repetitions: Annotated[int, typer.Option(min=1, help="Of the run against ns-2; the quickest counts.")] = 3,
    quick: Annotated[bool, typer.Option("--quick", help="Shorter runs, which say less.")] = False,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where bench.json goes.")] = REPOSITORY / "out" / "bench",
) -> None:
    """Measure, print ratios and write bench.json."""
    console = Console()
    try:
        results = {
            "machine": {"processor": _processor(), "cores": os.cpu_count(), "python": platform.python_version()},
            "ns2": _against_ns2(console, 1 if quick else repetitions),
            "dataplane": _dataplane(console, quick),
            "command_line": _command_line(console, 3 if quick else 10),
            "waits": _waits(console, 3.0 if quick else 20.0),
            "scaling": _scaling(console, QUICK_SHARE if quick else 1.0),
        }
    except BenchError as error:
        typer.echo(f"bench: {error}", err=True)
        raise typer.Exit(1) from None
    out.mkdir(parents=True, exist_ok=True)
    write_files((out / "bench.json", json.dumps(results, indent=2) + "\n"))
    console.print(str(out / "bench.json"))


def _against_ns2(console: Console, repetitions: int) -> dict[str, Any]:
    """N1 with 45 ECN flows for 500 s: ours, every packet by the P4 program in two routers, and bare ns-2."""
    arguments = (N1_45.flows, N1_45.network.rate_bps, N1_45.duration_s)
    ours = [_one_run(*arguments) for _ in range(repetitions)]
    result: dict[str, Any] = {
        "ours_s": min(run["wall_s"] for run in ours),
        "ours_all_s": [run["wall_s"] for run in ours],
        "ours_process_s": min(run["process_s"] for run in ours),
    }
    ns = find_ns()
    if ns is not None:
        # The queue is not watched, which would take as long again; ours measures everything.
        words = [*command(ns, N1_45, seed=1), "measured=0"]
        times = [_timed(words)[0] for _ in range(repetitions)]
        result |= {"ns2_s": min(times), "ns2_all_s": times, "ns2_over_ours": min(times) / result["ours_s"]}
        console.print(
            f"N1, 45 flows, 500 s: ours {result['ours_s']:.2f} s, ns-2 {result['ns2_s']:.2f} s: "
            f"ours is {result['ns2_over_ours']:.2f} times as fast"
        )
    else:
        console.print(f"N1, 45 flows, 500 s: ours {result['ours_s']:.2f} s; ns is not installed")
    return result


def _dataplane(console: Console, quick: bool) -> dict[str, Any]:
    """Packets a second through the pipeline on one core, from memory to memory, by the pipeline's own benchmark."""
    cargo = shutil.which("cargo")
    if cargo is None:
        raise BenchError("cargo is not on the PATH: run 'make setup'")
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "build" / "cargo"))
    words = [
        cargo,
        "bench",
        "--quiet",
        "--locked",
        "--profile",
        "release",
        "--manifest-path",
        str(REPOSITORY / "Cargo.toml"),
    ]
    words += ["-p", "quench-pipeline", "--features", "bench", "--bench", "pipeline", "--", "pipeline"]
    if quick:
        words += ["--quick"]
    _timed(words, {**os.environ, "CARGO_TARGET_DIR": str(target)})
    rates = {}
    for folder in sorted((target / "criterion" / "pipeline").iterdir()):
        if (folder / "new").is_dir():
            nanoseconds = _read(folder / "new" / "estimates.json")["mean"]["point_estimate"]
            packets = _read(folder / "new" / "benchmark.json")["throughput"]["Elements"]
            rates[folder.name] = packets / nanoseconds * 1e9
    table = Table("packets", "a second", "times BMv2's", title="Data plane, one core, memory to memory")
    for name, rate in rates.items():
        table.add_row(name, f"{rate:,.0f}", f"{rate / BMV2_PKTS_PER_S:.0f}")
    console.print(table)
    return {"pkts_per_s": rates, "over_bmv2": {name: rate / BMV2_PKTS_PER_S for name, rate in rates.items()}}


def _command_line(console: Console, repetitions: int) -> dict[str, Any]:
    """The median time of every command's help, and of answers to a shell, beside that of an empty Python program."""
    quench = str(Path(sys.executable).with_name("quench"))
    empty_s = _median_s([sys.executable, "-c", ""], repetitions)
    times = {f"{' '.join(words)} --help": [quench, *words, "--help"] for words in _commands()}
    found = {name: _median_s(words, repetitions) for name, words in times.items()}
    for line in COMPLETED:
        variables = {"_QUENCH_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
        found[f"completion of '{line}'"] = _median_s([quench], repetitions, variables)
    table = Table("the slowest", "median", "times an empty Python", title="Command line")
    for name in sorted(found, key=lambda each: found[each], reverse=True)[:MOST_COMMANDS]:
        table.add_row(name.strip(), f"{found[name]:.2f} s", f"{found[name] / empty_s:.1f}")
    console.print(table)
    return {"empty_python_s": empty_s, "median_s": found, "slowest_over_empty": max(found.values()) / empty_s}


def _commands() -> list[tuple[str, ...]]:
    """The words of every command but the host's, whose help is another program's."""
    from quench.cli.app import app
    from quench_switch.cli.lazy import mounted

    def below(words: tuple[str, ...], command: Any) -> Iterator[tuple[str, ...]]:
        command = mounted(command) or command
        yield words
        for name, child in getattr(command, "commands", {}).items():
            if name != "host":
                yield from below((*words, name), child)

    return list(below((), typer.main.get_command(app)))


def _median_s(words: list[str], repetitions: int, variables: Mapping[str, str] | None = None) -> float:
    environment = {**os.environ, **(variables or {})}
    return statistics.median(_timed(words, environment)[0] for _ in range(repetitions))


def _waits(console: Console, seconds: float) -> dict[str, Any]:
    """The waiting times of a P4Runtime writer and of a packet, alone and beside readers of all protocols."""
    results: dict[str, Any] = json.loads(_timed(["unshare", "-n", sys.executable, str(WAITS), str(seconds)])[1])
    table = Table("", "who waits", "number", "median", "99 %", "longest", title="Waits for the switch")
    for beside, waits in results.items():
        for who, each in waits.items():
            times = [f"{each[name]:.1f} ms" for name in ("median_ms", "p99_ms", "longest_ms")]
            table.add_row(beside.replace("_", " "), who, str(each["number"]), *times)
    console.print(table)
    return results


def _scaling(console: Console, share: float) -> dict[str, Any]:
    """Time for each packet of the bottleneck, and memory, over the number of flows and over the rate."""
    results: dict[str, Any] = {}
    for axis, points in SCALING:
        runs = [_one_run(flows, rate_bps, duration_s * share) for flows, rate_bps, duration_s in points]
        table = Table(
            "flows", "rate", "simulated", "time", "packets", "a packet", "memory", title=f"N1, over the {axis}"
        )
        for run in runs:
            run["us_per_pkt"] = run["wall_s"] / run["bottleneck_pkts"] * 1e6
            grown = run["memory_peak_bytes"] - run["memory_before_bytes"]
            table.add_row(
                str(run["flows"]),
                f"{run['rate_bps'] / 1e6:g} Mb/s",
                f"{run['simulated_s']:g} s",
                f"{run['wall_s']:.2f} s",
                f"{run['bottleneck_pkts']:.0f}",
                f"{run['us_per_pkt']:.2f} us",
                f"{grown / 1e6:.0f} MB",
            )
        each = [run["us_per_pkt"] for run in runs]
        results[axis] = {"runs": runs, "most_over_least": max(each) / min(each), "us_per_pkt": statistics.fmean(each)}
        console.print(table)
        console.print(f"time for a packet over the {axis}: most is {max(each) / min(each):.2f} times the least")
    return results


def _one_run(flows: int, rate_bps: float, duration_s: float) -> dict[str, Any]:
    words = [sys.executable, str(ONE_RUN), str(flows), str(rate_bps), str(duration_s)]
    process_s, printed = _timed(words)
    return {**json.loads(printed), "process_s": process_s}


def _timed(words: list[str], environment: dict[str, str] | None = None) -> tuple[float, str]:
    """Wall time of a program, and what it printed. Raises BenchError."""
    began = time.perf_counter()
    ended = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    took_s = time.perf_counter() - began
    if ended.returncode != 0:
        said = (ended.stderr or ended.stdout).strip().splitlines() or ["nothing"]
        raise BenchError(f"'{' '.join(words)}' failed with status {ended.returncode} and said: {said[-1]}")
    return took_s, ended.stdout


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


if __name__ == "__main__":
    typer.run(main)
