# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench profile``: show and draw congestion profiles before a switch has them, and exchange them with SONiC."""

import json
from dataclasses import asdict, fields, is_dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
import yaml
from pydantic import ValidationError
from quench_switch.arch import Arch
from quench_switch.cli.commands import Commands
from quench_switch.cli.lazy import later
from quench_switch.outside.files import read_json, write_files
from quench_switch.outside.text import one_line
from quench_switch.outside.units import format_rate_bps, parse_depth, parse_rate_bps

from quench.advice import format_advice
from quench.cli.completed import YAML, files, listed
from quench.cli.options import SCHEME_HELP, BufferOption, JsonOption, parsed
from quench.cli.output import print_whole
from quench.cli.profile_options import sentences, settings_of, takes_profile
from quench.errors import ControllerError
from quench.profiles.curve import codepoints_of, curve_of
from quench.profiles.schemes import NAMED_SCHEMES
from quench.profiles.settings import SCHEMES, fields_of

if TYPE_CHECKING:
    from rich import table as tables_of
    from rich.table import Table

    from quench.client import pipelines as targets
    from quench.client.pipelines import Pipeline
    from quench.config import file as configuration
    from quench.config import model
    from quench.config.model import Queue
    from quench.profiles import ProfileSettings, Segment
else:
    tables_of = later("rich.table")
    targets, configuration = later("quench.client.pipelines"), later("quench.config.file")
    model = later("quench.config.model")

app = Commands("Show and draw congestion profiles, from and to SONiC's.")
FileArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="[FILE.yaml]", help="A profile, or a controller's configuration.", autocompletion=files(*YAML)
    ),
]
NamesArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[NAME]...", help="Of a configuration's profiles, these; else all.")
]
SchemesOption = Annotated[
    str | None,
    typer.Option(
        metavar="SCHEME,...",
        help=f"Instead of a file: {SCHEME_HELP} Several with commas.",
        autocompletion=listed(NAMED_SCHEMES),
    ),
]
OutputOption = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", help="The file to write; without: stdout.")
]
SONIC_BYTES = 8 << 20
"""Largest ConfigDB. One of a chassis with 512 ports and eight queues each has 1 MB."""
QUEUES_NAMED = 8
"""Most queues of SONiC that a comment names."""
DEFAULT_RATE = "10Mbps"
_RATE_HELP = "Rate of the port: it scales default thresholds, and times the decay of an idle queue's average."
CODEPOINTS = {0b01: "ECT(1)", 0b11: "CE"}


@app.command()
@takes_profile
def show(
    given: dict[str, Any],
    file: FileArgument = None,
    names: NamesArgument = None,
    scheme: SchemesOption = None,
    rows: Annotated[bool, typer.Option("--rows", help="The rows of the P4 tables instead.")] = False,
    arch: Annotated[Arch, typer.Option("--arch", help="Of the rows' program: tna is quench_tna.p4's.")] = Arch.V1MODEL,
    rate: Annotated[str, typer.Option(metavar="RATE", help=_RATE_HELP)] = DEFAULT_RATE,
    buffer: BufferOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the straight pieces of profiles, or the rows of the P4 tables that they become."""
    pipeline = targets.PIPELINES[arch.value]
    profiles = _profiles(file, names, scheme, given, rate, buffer, pipeline)
    if as_json:
        typer.echo(json.dumps([_as_json(*profile, pipeline) for profile in profiles.items()], indent=2))
        return
    for name, queue in profiles.items():
        if rows:
            _print_rows(name, queue, pipeline)
        else:
            _print_segments(name, queue)


@app.command()
@takes_profile
def plot(
    given: dict[str, Any],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE.svg|png", help="The picture's file.")],
    file: FileArgument = None,
    names: NamesArgument = None,
    scheme: SchemesOption = None,
    rate: Annotated[str, typer.Option(metavar="RATE", help=_RATE_HELP)] = DEFAULT_RATE,
    buffer: BufferOption = None,
    until: Annotated[str | None, typer.Option(metavar="DEPTH", help="Deepest average queue to draw.")] = None,
    top: Annotated[
        float, typer.Option(metavar="PROBABILITY", min=0.001, max=1, help="Highest probability to draw.")
    ] = 1.0,
) -> None:
    """Draw profiles, side by side if they are several."""
    if output.suffix not in {".svg", ".png"}:
        raise ControllerError(f"{output}: a picture ends in .svg or .png")
    from quench.profiles.plot import draw

    profiles = _profiles(file, names, scheme, given, rate, buffer)
    deepest = parsed("--until", parse_depth, until) if until is not None else None
    try:
        draw(output, {name: queue.whole for name, queue in profiles.items()}, until=deepest, top=top)
    except OSError as error:
        raise ControllerError(f"{output}: cannot be written: {error.strerror}") from error
    typer.echo(f"{output}: {', '.join(profiles)}")


@app.command("from-sonic")
def from_sonic(
    file: Annotated[Path, typer.Argument(metavar="FILE.json", help="ConfigDB, or its tables WRED_PROFILE and QUEUE.")],
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="These profiles; else all.")] = None,
    output: OutputOption = None,
) -> None:
    """Read SONiC's WRED profiles as profiles of Quench. What Quench cannot say is a line on stderr."""
    from quench.profiles.sonic import SonicError, profiles_from

    try:
        found = profiles_from(read_json(file, SONIC_BYTES))
    except OSError as error:
        raise ControllerError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ControllerError(f"{file}: is not UTF-8 text: {error.reason} at byte {error.start}") from error
    except ValueError as error:
        raise ControllerError(f"{file}: is no JSON: {one_line(str(error))}") from error
    except SonicError as error:
        raise ControllerError(f"{file}: {error}") from error
    for name in names or ():
        if name not in found:
            raise ControllerError(f"{file}: there is no profile {name!r}: the file has {', '.join(found)}")
    wanted = {name: found[name] for name in names or found}
    lines = ["profiles:"]
    for name, imported in wanted.items():
        if imported.queues:
            more = len(imported.queues) - QUEUES_NAMED
            named = ", ".join(imported.queues[:QUEUES_NAMED]) + (f" and {more} more" if more > 0 else "")
            lines.append(f"  # of {named}")
        values = yaml.safe_dump({name: imported.values}, sort_keys=False, default_flow_style=None, width=100)
        lines += [f"  {line}" for line in values.splitlines()]
    _write("\n".join(lines) + "\n", [note for imported in wanted.values() for note in imported.notes], output)


@app.command("to-sonic")
@takes_profile
def to_sonic(
    given: dict[str, Any],
    file: FileArgument = None,
    names: NamesArgument = None,
    scheme: SchemesOption = None,
    rate: Annotated[str, typer.Option(metavar="RATE", help=_RATE_HELP)] = DEFAULT_RATE,
    buffer: BufferOption = None,
    queues: Annotated[
        list[str] | None,
        typer.Option("--queue", metavar="PORT|QUEUE", help="A queue that gets the one profile, such as 'Ethernet0|3'."),
    ] = None,
    output: OutputOption = None,
) -> None:
    """Write profiles as SONiC's WRED_PROFILE, in JSON. What SONiC cannot say is a line on stderr."""
    from quench.profiles.sonic import PROFILES, QUEUES, SonicError, queue_entries, wred_profile

    profiles = _profiles(file, names, scheme, given, rate, buffer)
    tables: dict[str, dict[str, dict[str, str]]] = {PROFILES: {}}
    notes: list[str] = []
    try:
        for name, queue in profiles.items():
            tables[PROFILES][name], of_profile = wred_profile(name, queue.whole)
            notes += of_profile
        if queues:
            if len(profiles) != 1:
                raise ControllerError(f"--queue: a queue gets one profile: name one of {', '.join(profiles)}")
            tables[QUEUES] = queue_entries(queues, next(iter(profiles)))
    except SonicError as error:
        raise ControllerError(str(error)) from error
    _write(json.dumps(tables, indent=4) + "\n", notes, output)


def _write(text: str, notes: list[str], output: Path | None) -> None:
    for note in notes:
        typer.echo(f"quench: {note}", err=True)
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        write_files((output, text))
    except OSError as error:
        raise ControllerError(f"{output}: cannot be written: {error.strerror}") from error


def _profiles(
    file: Path | None,
    names: list[str] | None,
    schemes: str | None,
    given: dict[str, Any],
    rate: str,
    buffer: str | None,
    pipeline: "Pipeline[Any] | None" = None,
) -> "dict[str, Queue]":
    """The profiles as a port of this rate has them."""
    rate_bps = parsed("--rate", parse_rate_bps, rate)
    capacity = None if buffer is None else parsed("--buffer", parse_depth, buffer)
    found = {
        name: model.Queue(settings, rate_bps, capacity)
        for name, settings in _written(file, names, schemes, given).items()
    }
    for name, queue in found.items():
        try:
            (pipeline or targets.V1MODEL).compile(queue.whole, rate_bps)
        except ValueError as error:
            raise ControllerError(f"{name}: {error}") from error
    return found


def _written(
    file: Path | None, names: list[str] | None, schemes: str | None, given: dict[str, Any]
) -> "dict[str, ProfileSettings]":
    if (file is None) == (schemes is None):
        raise ControllerError("give either a file or --scheme")
    try:
        if file is not None:
            return configuration.load_profiles(file, given, names or [])
    except ValidationError as error:
        raise ControllerError(sentences(error)) from error
    wanted = [each.strip() for each in str(schemes).split(",")]
    # With several schemes an option is for those that know it.
    known = {each: fields_of(each) for each in wanted if each in SCHEMES}
    for name in given:
        if len(wanted) > 1 and not any(name in fields for fields in known.values()):
            raise ControllerError(f"--{name.replace('_', '-')} does not belong to any of these schemes")
    return {
        each: settings_of(
            {"scheme": each}
            | {name: value for name, value in given.items() if len(wanted) == 1 or name in known.get(each, ())}
        )
        for each in wanted
    }


def _title(name: str, queue: "Queue") -> str:
    values = [f"{each} {getattr(queue.whole, each)}" for each in queue.defaults]
    taken = f", {', '.join(values)} by default at {format_rate_bps(queue.rate_bps)}" if values else ""
    return f"{name} ({queue.settings.scheme}{taken})"


def _print_segments(name: str, queue: "Queue") -> None:
    settings = queue.whole
    mean_bytes = settings.mean_packet_bytes
    level1, level2 = (CODEPOINTS[codepoint] for codepoint in codepoints_of(settings))
    title = f"{_title(name, queue)}: mark 1 writes {level1}, mark 2 {level2}"
    table = tables_of.Table(
        "average, packets", "bytes", "p1", "p2", "ISQ", "level", "advice", "ECT", title=title, title_justify="left"
    )
    for segment in curve_of(settings).segments:
        table.add_row(
            _span(segment.start_pkts, segment.end_pkts),
            _span(segment.start_pkts * mean_bytes, segment.end_pkts * mean_bytes),
            _change(segment.p1_start, segment.p1_end),
            _change(segment.p2_start, segment.p2_end),
            "yes" if segment.isq else "no",
            _levels(segment),
            format_advice(segment.advice) if segment.isq else "",
            "drop" if segment.drop else "mark",
        )
    if table.row_count:
        print_whole(table)
    else:
        typer.echo(f"{title}\nno packet is selected, however long the queue")


def _span(start: float, end: float) -> str:
    return f"{start:.10g} and more" if end == inf else f"{start:.10g} - {end:.10g}"


def _change(first: float, last: float) -> str:
    return f"{first:.4g}" if first == last else f"{first:.4g} -> {last:.4g}"


def _levels(segment: "Segment") -> str:
    last = segment.isq_level(segment.start_pkts) if segment.end_pkts == inf else min(127, int(segment.isq_level_end))
    return _change(int(segment.isq_level_start), last) if segment.isq else ""


def _print_rows(name: str, queue: "Queue", pipeline: "Pipeline[Any]") -> None:
    compiled = pipeline.compile(queue.whole, queue.rate_bps)
    parameters = tables_of.Table("profile_parameters", "", title=_title(name, queue), title_justify="left")
    of_queue = tables_of.Table("queue", "", title="beside the tables", title_justify="left")
    tables = []
    for part in fields(compiled):
        value = getattr(compiled, part.name)
        if is_dataclass(value) and not isinstance(value, type):
            for key, each in asdict(value).items():
                parameters.add_row(key, str(each))
        elif isinstance(value, tuple):
            tables.append(_rows(part.name, [asdict(row) for row in value]))
        else:
            of_queue.add_row(part.name, f"{value:.10g}")
    for table in (parameters, *tables, of_queue):
        if table.row_count:
            print_whole(table)


def _rows(title: str, rows: list[dict[str, Any]]) -> "Table":
    table = tables_of.Table(*(rows[0] if rows else ()), title=title, title_justify="left")
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    return table


def _as_json(name: str, queue: "Queue", pipeline: "Pipeline[Any]") -> dict[str, Any]:
    settings = queue.whole
    segments = [asdict(segment) for segment in curve_of(settings).segments]
    for segment in segments:
        # JSON has no infinity.
        segment["end_pkts"] = None if segment["end_pkts"] == inf else segment["end_pkts"]
        segment["advice"] = format_advice(segment["advice"])
    return {
        "name": name,
        "settings": settings.model_dump(mode="json"),
        "segments": segments,
        "rows": asdict(pipeline.compile(settings, queue.rate_bps)),
        "defaults": queue.defaults,
    }
