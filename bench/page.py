# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Fill the tables of docs/performance.md from bench.json.

A table stands between the comments `<!-- figures: PART PATTERN -->` and `<!-- end -->`; it has the figures of the part
whose names the pattern matches. The part `machine` is the machine and the parts' dates, and `wire table` the wire's.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import script
import typer
from figures import BenchError, Figure, Recording, read_recording
from quench_switch.outside.files import write_files
from wire_figures import COLUMNS, rows

PAGE = script.REPOSITORY / "docs" / "performance.md"
RECORDED = script.REPOSITORY / "out" / "bench" / "bench.json"
PLACE = re.compile(r"<!-- figures: (?P<part>[a-z-]+)(?: (?P<pattern>[^\n]+?))? -->\n.*?<!-- end -->", re.DOTALL)


def main(
    recorded: Annotated[Path, typer.Argument(metavar="[BENCH.json]")] = RECORDED,
    page: Annotated[Path, typer.Argument(metavar="[PAGE.md]")] = PAGE,
) -> None:
    """Write the tables of a recording into the page."""
    found = read_recording(recorded)
    text = page.read_text(encoding="utf-8")
    write_files((page, filled(text, found)))


def filled(text: str, recording: Recording) -> str:
    """The page with the tables of the recording; those of parts that it lacks stay. Raises BenchError."""

    def table(place: re.Match[str]) -> str:
        lines = _lines(recording, place["part"], place["pattern"] or "")
        if lines is None:
            return place[0]
        first = place[0].partition("\n")[0]
        return "\n".join([first, "", *lines, "", "<!-- end -->"])

    return PLACE.sub(table, text)


def _lines(recording: Recording, name: str, pattern: str) -> list[str] | None:
    if name == "machine":
        return _machine(recording)
    part = recording.parts.get(name)
    if part is None:
        return None
    if (name, pattern) == ("wire", "table"):
        return _markdown(COLUMNS, rows(part.figures))
    chosen = [figure for figure in part.figures if re.search(pattern, figure.name)]
    if not chosen:
        raise BenchError(f"{name} {pattern}: no figure has such a name")
    columns = ("", "median", "least to most", "unit")
    return _markdown(columns, [(each.name, _short(each.median), _span(each), each.unit) for each in chosen])


def _machine(recording: Recording) -> list[str]:
    machine = recording.machine
    what = f"{machine['cores']} cores of {machine['processor']}, Linux {machine['kernel']}"
    dates = [
        (name, part.date[:10], f"`{part.commit}`", str(part.quick).lower()) for name, part in recording.parts.items()
    ]
    return [f"{what}.", "", *_markdown(("part", "date", "commit", "quick"), dates)]


def _markdown(columns: Sequence[str], cells: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (columns, ["---"] * len(columns), *cells)]


def _span(figure: Figure) -> str:
    return f"{_short(min(figure.values))} to {_short(max(figure.values))}" if figure.spread is not None else ""


def _short(value: float) -> str:
    """Three digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    script.run(main)
