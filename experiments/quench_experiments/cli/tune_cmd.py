# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench tune``: thresholds for a load by control theory, or the stability of given ones."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from quench.cli.completed import beginning
from quench.cli.options import JsonOption, parsed
from quench.errors import ControllerError
from quench_switch.cli.commands import Commands
from quench_switch.outside.files import Content, write_files
from quench_switch.outside.units import parse_depth, parse_probability, parse_rate_bps, parse_seconds

from quench_experiments.errors import TuningError
from quench_experiments.known import TUNED_SCHEMES, Scheme

if TYPE_CHECKING:
    from quench.profiles import ProfileSettings

    from quench_experiments.tuning.analysis import Analysis
    from quench_experiments.tuning.fluid import Settling
    from quench_experiments.tuning.marking import Marking

app = Commands()
_DEPTH = "DEPTH"


@app.command()
def tune(
    flows: Annotated[int, typer.Option(metavar="FLOWS", min=1, help="Flows that always have something to send.")],
    capacity: Annotated[str, typer.Option(metavar="RATE", help="Of the bottleneck, such as 10Mbps.")],
    rtt: Annotated[str, typer.Option(metavar="TIME", help="Round trip without any queue, such as 100ms.")],
    scheme: Annotated[
        str,
        typer.Option(
            metavar="|".join(TUNED_SCHEMES), help="What the switch does.", autocompletion=beginning(TUNED_SCHEMES)
        ),
    ] = "mecn",
    packet: Annotated[int, typer.Option(metavar="BYTES", min=40, max=65535, help="Mean size of an IP packet.")] = 1000,
    wq: Annotated[
        float | None,
        typer.Option(
            metavar="WEIGHT", help="Weight of a sample in the average queue.", show_default="0.002, or less if needed"
        ),
    ] = None,
    margin: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Delay margin to leave.", show_default="the round trip"),
    ] = None,
    minth: Annotated[str | None, typer.Option(metavar=_DEPTH, help="Look at this setting instead.")] = None,
    midth: Annotated[str | None, typer.Option(metavar=_DEPTH, help="The same, with mecn.")] = None,
    maxth: Annotated[str | None, typer.Option(metavar=_DEPTH, help="The same.")] = None,
    maxp: Annotated[str | None, typer.Option(metavar="PROBABILITY", help="The same.")] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.svg|png", help="Draw delay margin and stability there.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.yaml", help="Write the profile there.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Recommend thresholds for N flows over a bottleneck, by control theory (docs/tuning.md).

    The recommendation is compiled, and a model of TCP is run with the rows that a switch gets.

    With --minth, --maxth and --maxp (and --midth) it says instead how stable that setting is.
    """
    from quench_experiments.tuning.analysis import analyse
    from quench_experiments.tuning.fluid import settle
    from quench_experiments.tuning.operating import Load
    from quench_experiments.tuning.recommend import USUAL_WQ, recommend
    from quench_experiments.tuning.report import profile_of

    if plot is not None and plot.suffix not in {".svg", ".png"}:
        raise ControllerError(f"{plot}: a picture ends in .svg or .png")
    given = [value is not None for value in (minth, midth, maxth, maxp)]
    try:
        load = Load(
            flows, parsed("--capacity", parse_rate_bps, capacity) / (8 * packet), parsed("--rtt", parse_seconds, rtt)
        )
        wanted = _scheme(scheme)
        if any(given):
            if margin is not None or output is not None:
                raise ControllerError("--margin and --output are for recommendations: leave out the thresholds")
            weight = USUAL_WQ if wq is None else wq
            found = analyse(load, _marking(wanted, minth, midth, maxth, maxp, packet), weight)
            profile, settling = None, None
        else:
            margin_s = None if margin is None else parsed("--margin", parse_seconds, margin)
            recommendation = recommend(wanted, load, wq=wq, margin_s=margin_s)
            found, weight = recommendation.analysis, recommendation.wq
            profile, rows = profile_of(recommendation, packet)
            settling = settle(found, rows)
    except TuningError as error:
        raise ControllerError(str(error)) from error
    _write(found, profile, weight, plot, output)
    _print(found, profile, settling, wanted, weight, as_json=as_json)


def _scheme(name: str) -> "Scheme":

    for scheme in TUNED_SCHEMES:
        if scheme == name:
            return scheme
    raise ControllerError(f"--scheme {name}: there is theory for {', '.join(TUNED_SCHEMES)}")


def _marking(
    scheme: "Scheme", minth: str | None, midth: str | None, maxth: str | None, maxp: str | None, packet: int
) -> "Marking":
    from quench_experiments.tuning.marking import ECN_REDUCTIONS, MECN_REDUCTIONS, Marking

    if minth is None or maxth is None or maxp is None or (midth is None) == (scheme == "mecn"):
        needed = "--minth, --midth, --maxth and --maxp" if scheme == "mecn" else "--minth, --maxth and --maxp"
        raise ControllerError(f"a setting of {scheme} to look at is {needed}")
    return Marking(
        minth=parsed("--minth", parse_depth, minth).in_pkts(packet),
        maxth=parsed("--maxth", parse_depth, maxth).in_pkts(packet),
        maxp=parsed("--maxp", parse_probability, maxp),
        midth=None if midth is None else parsed("--midth", parse_depth, midth).in_pkts(packet),
        reductions=MECN_REDUCTIONS if scheme == "mecn" else ECN_REDUCTIONS,
    )


def _write(
    found: "Analysis", profile: "ProfileSettings | None", wq: float, plot: Path | None, output: Path | None
) -> None:
    from quench_experiments.tuning.report import profile_yaml

    files: list[tuple[Path, Content]] = []
    if plot is not None:
        from quench_experiments.tuning.plot import picture

        files.append((plot, picture(plot.suffix.removeprefix("."), found, wq)))
    if output is not None and profile is not None:
        files.append((output, profile_yaml(profile)))
    try:
        write_files(*files)
    except OSError as error:
        raise ControllerError(f"{error.filename}: cannot be written: {error.strerror}") from error


def _print(
    found: "Analysis",
    profile: "ProfileSettings | None",
    settling: "Settling | None",
    scheme: "Scheme",
    wq: float,
    *,
    as_json: bool,
) -> None:
    from rich.console import Console

    from quench_experiments.tuning.analysis import stable_range
    from quench_experiments.tuning.report import analysis_table, analysis_values, profile_values, profile_yaml

    around = stable_range(found.load, found.marking, wq)
    if as_json:
        values = {"scheme": scheme, "wq": wq, **analysis_values(found, around)}
        if profile is not None and settling is not None:
            values["settling"] = asdict(settling)
            values["profile"] = profile_values(profile)
        typer.echo(json.dumps(values, indent=2))
        return
    load, marking = found.load, found.marking
    depths = [f"{depth:g}" for depth in (marking.minth, marking.midth, marking.maxth) if depth is not None]
    title = (
        f"{scheme}, {load.flows:g} flows, {load.capacity_pps:g} packets/s, {1000 * load.rtt_s:g} ms: "
        f"thresholds {', '.join(depths)} packets, maxp {marking.maxp:g}, wq {wq:g}"
    )
    console = Console()
    console.print(analysis_table(title, found, around, settling))
    if not found.approximation_holds:
        console.print("The crossover lies above poles that P3 leaves out: rely on the whole loop.")
    if profile is not None:
        console.print()
        typer.echo(profile_yaml(profile), nl=False)
