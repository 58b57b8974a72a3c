# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench experiment capture``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quench_experiments.cli.catalogue import (
    OUT,
    PROGRAM,
    KeyArgument,
    OutOption,
    ProgramOption,
    faults_in_one_line,
    one,
)
from quench_experiments.errors import ExperimentError

if TYPE_CHECKING:
    from quench_experiments.definition import Experiment
    from quench_experiments.simulation.scenario import Scenario

FOLDER = "captures"
NAMED = 5
"""Links that an error names; a network may have hundreds."""


def capture(
    key: KeyArgument,
    run: Annotated[str, typer.Argument(metavar="RUN", help="As 'quench experiment show KEY --runs' lists it.")],
    pcap: Annotated[list[str], typer.Option("--pcap", metavar="LINK", help="A link to capture; may be repeated.")],
    quick: Annotated[bool, typer.Option("--quick", help="RUN is one of --quick.")] = False,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", metavar="SECONDS", min=0.001, help="Stop then.", show_default="the whole run"),
    ] = None,
    program: ProgramOption = PROGRAM,
    out: OutOption = OUT,
) -> None:
    """Simulate one run once more, and write the packets that cross links, for Wireshark.

    Results that are kept are neither used nor changed.
    """
    # Imported here: the other commands plan and report without the native module.
    from quench_experiments.simulation.run import simulate
    from quench_experiments.simulation.scenario import Pcap

    with faults_in_one_line("capture"):
        scenario = _scenario_of(one(key), run, quick)
        folder = out / FOLDER
        captures = tuple(Pcap(link=link, path=str(folder / _file_name(run, link))) for link in _checked(pcap, scenario))
        folder.mkdir(parents=True, exist_ok=True)
        changes: dict[str, object] = {"measure": scenario.measure.model_copy(update={"pcap": captures})}
        if seconds is not None and seconds < scenario.duration_s:
            changes |= {"duration_s": seconds, "warmup_s": 0.0}
        simulate(scenario.model_copy(update=changes), program=program)
    for each in captures:
        typer.echo(each.path)


def _scenario_of(experiment: "Experiment", run: str, quick: bool) -> "Scenario":
    for each in experiment.runs(quick):
        if each.id == run:
            return each.scenario
    option = " --quick" if quick else ""
    raise ExperimentError(f"there is no run {run}: 'quench experiment show {experiment.key} --runs{option}' lists them")


def _checked(links: list[str], scenario: "Scenario") -> list[str]:
    known = [link.name for link in scenario.links]
    for link in links:
        if link not in known:
            others = f" and {len(known) - NAMED} more" if len(known) > NAMED else ""
            raise ExperimentError(f"there is no link {link}: there are {', '.join(known[:NAMED])}{others}")
    return list(dict.fromkeys(links))


def _file_name(run: str, link: str) -> Path:
    return Path(f"{run.replace('/', '_')}.{link}.pcap")
