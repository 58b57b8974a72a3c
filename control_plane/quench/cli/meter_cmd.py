# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench meter``: the meters of any P4 program, over P4Runtime."""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from quench_switch.cli.commands import Commands
from quench_switch.cli.lazy import later
from quench_switch.outside.text import printable

from quench.cli.options import JsonOption
from quench.cli.output import place_of, print_rows
from quench.cli.server_options import takes_server
from quench.errors import ControllerError

if TYPE_CHECKING:
    import finsy as fy
    from finsy import p4schema

    from quench.client import cells as stored
    from quench.client import words
    from quench.client.session import Session
    from quench.service.direct import DirectSwitch

    Meter = p4schema.P4Meter | p4schema.P4DirectMeter
else:
    fy = later("finsy")
    p4schema = later("finsy.p4schema")
    stored = later("quench.client.cells")
    words = later("quench.client.words")

app = Commands("Show and set the meters of any P4 program, over P4Runtime.")
MeterArgument = Annotated[str, typer.Argument(metavar="METER", help="Its name, or the end of it.", show_default=False)]
RATES = ("cir", "cburst", "pir", "pburst")


@app.command()
@takes_server
def get(
    server: "DirectSwitch",
    meter: MeterArgument,
    index: Annotated[int | None, typer.Argument(min=0, metavar="[INDEX]", help="Without it: all cells.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the rates of a meter, per second, and its bursts; of a direct meter those of each entry."""

    async def work(session: "Session") -> tuple[str, list[dict[str, Any]]]:
        found = _find(session.p4info, meter)
        return found.unit.name.lower(), await _rows(session, found, index)

    unit, rows = server.read(work)
    print_rows(
        rows,
        ("cell", f"committed {unit}/s", "burst", f"peak {unit}/s", "burst"),
        lambda row: (place_of(row), *(row.get(name, "") for name in RATES)),
        as_json=as_json,
        nothing="no entry has a meter",
    )


@app.command("set")
@takes_server
def set_(
    server: "DirectSwitch",
    meter: MeterArgument,
    index: Annotated[int, typer.Argument(min=0, metavar="INDEX", help="The cell.", show_default=False)],
    rates: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RATE:BURST RATE:BURST]",
            help="Committed, then peak; per second, in the meter's unit. Without them the cell colours nothing.",
        ),
    ] = None,
) -> None:
    """Set the rates of a meter's cell: quench meter set policer 3 1000:10 2000:20."""
    config = _config(rates) if rates else None

    async def work(session: "Session") -> str:
        found = _find(session.p4info, meter)
        if isinstance(found, p4schema.P4DirectMeter):
            raise ControllerError(f"{found.name} is a meter of a table's entries: its cells have no index")
        cell = words.checked(fy.P4MeterEntry(found.name, index=index, config=config), session.p4info, found.name)
        await session.write([~cell])
        return found.name

    typer.echo(printable(f"{server.change(work)}[{index}]: {' '.join(rates or ['no rates'])}"))


def _find(schema: "fy.P4Schema", name: str) -> "Meter":
    known: list[Meter] = [*schema.meters, *schema.direct_meters]
    return words.find(known, "meter", name)


def _config(rates: list[str]) -> "fy.P4MeterConfig":
    numbers: list[int] = []
    for text in rates:
        parts = text.split(":")
        if len(parts) != 2 or not all(part.isdecimal() and len(part) < 20 for part in parts):
            raise ControllerError(f"{text[:40]!r} is not RATE:BURST in whole numbers")
        numbers += [int(part) for part in parts]
    if len(numbers) != len(RATES):
        raise ControllerError("give two rates, RATE:BURST RATE:BURST: the committed one and the peak one")
    return fy.P4MeterConfig(**dict(zip(RATES, numbers, strict=True)))


async def _rows(session: "Session", meter: "Meter", index: int | None) -> list[dict[str, Any]]:
    if isinstance(meter, p4schema.P4Meter):
        pattern = words.checked(fy.P4MeterEntry(meter.name, index=index), session.p4info, meter.name)
        return [{"index": cell.index, **_rates(cell.config)} async for cell in session.read([pattern])]
    if index is not None:
        raise ControllerError(f"{meter.name} is a meter of a table's entries: its cells have no index")
    table = next(table for table in session.p4info.tables if table.direct_meter == meter)
    entries = [entry async for entry in session.read([fy.P4DirectMeterEntry(table_entry=fy.P4TableEntry(table.name))])]
    return [
        {**({} if each.table_entry is None else stored.plain(each.table_entry, table)), **_rates(each.config)}
        for each in entries
    ]


def _rates(config: "fy.P4MeterConfig | None") -> dict[str, int]:
    return {} if config is None else {name: getattr(config, name) for name in RATES}
