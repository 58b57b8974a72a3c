# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The work of ``quench soak``."""

import json
import logging
import os
import platform
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import typer
from quench.errors import ControllerError
from quench.signals import Interrupted, signals_as_exceptions
from quench.targets import EMBEDDED
from quench.temporary import temporary_folder
from quench_switch.cli.output import complain
from quench_switch.outside.files import write_files
from quench_switch.version import VERSION
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from quench_topologies.errors import TopologyError
from quench_topologies.isolation import private_mount
from quench_topologies.live_page import LIVE_ADDRESS, live_page
from quench_topologies.network import running_network
from quench_topologies.preconditions import check_machine
from quench_topologies.program import find_host_loader, quench_program
from quench_topologies.soak.aftermath import Belongings, Machine, faults_in_logs, left_behind
from quench_topologies.soak.campaign import Campaign, Record, soak_plan
from quench_topologies.soak.listeners import METRICS, places, switch_options
from quench_topologies.soak.readers import Readers
from quench_topologies.soak.report import show, summarise

TARGET = EMBEDDED.name
DISK_BYTES = 16 << 20


def run(seconds: float, seed: int, program: Path | None, out: Path) -> None:
    """Run the soak test. The status is 1 when an invariant is broken; an error is one line."""
    logging.getLogger("mininet").setLevel(logging.ERROR)
    console = Console()
    try:
        with signals_as_exceptions():
            check_machine()
            out.mkdir(parents=True, exist_ok=True)
            record = _run(console, seconds, seed, program, out)
    except Interrupted as interruption:
        console.print("quench soak: interrupted; everything has been ended")
        raise typer.Exit(interruption.exit_status) from None
    except (TopologyError, ControllerError, OSError) as error:
        complain("quench soak", error)
        raise typer.Exit(1) from None
    summary = {"settings": _settings(seconds, seed), **summarise(record)}
    write_files((out / "summary.json", json.dumps(summary, indent=2) + "\n"))
    show(console, summary)
    console.print(f"{out / 'summary.json'}")
    raise typer.Exit(1 if record.broken else 0)


def _run(console: Console, seconds: float, seed: int, program: Path | None, out: Path) -> Record:
    home = str(Path("/proc/self/ns/net").readlink())
    before = Machine.now()
    belongings = Belongings()
    loaded, loader, compiled = soak_plan(), find_host_loader(), quench_program(program, TARGET)
    with temporary_folder("soak") as folder:
        with ExitStack() as stack:
            disk = folder / "disk"
            disk.mkdir()
            stack.callback(disk.rmdir)
            stack.enter_context(private_mount(disk, DISK_BYTES))
            _temporary_files_in(stack, disk)
            columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
            progress = stack.enter_context(Progress(*columns, console=console, transient=True))
            task = progress.add_task("starting the network")
            network = stack.enter_context(
                running_network(loaded.plan, compiled, TARGET, seed, disk, METRICS, switch_options(loaded.plan, disk))
            )
            page = stack.enter_context(live_page(LIVE_ADDRESS))
            url = page.show(network.socket)
            readers = Readers(places(network, urlsplit(url).netloc), seed, network.directory)
            stack.callback(readers.stop)
            readers.start()
            campaign = Campaign(network, loaded, seed, loader, disk, page, readers)
            record = campaign.record
            try:
                campaign.run(seconds, lambda doing: progress.update(task, description=doing))
            except (TopologyError, ControllerError) as error:
                record.broken.append(str(error))
            finally:
                belongings.note()
                # In order, so that what they say at their end is in the logs.
                readers.stop()
                record.readers = readers.tallies()
                page.close()
                network.stop_controller()
                for switch in network.switches.values():
                    switch.end()
                logs = _keep_logs((network.directory, disk), out / "logs")
        record.broken += faults_in_logs(logs)
        record.broken += left_behind(before, belongings, home, folder)
    return record


def _temporary_files_in(stack: ExitStack, place: Path) -> None:
    """Put the temporary files of this process, and of those that it starts, into a folder."""
    before = os.environ.get("TMPDIR")

    def put_back() -> None:
        if before is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = before
        tempfile.tempdir = None

    stack.callback(put_back)
    os.environ["TMPDIR"] = str(place)
    tempfile.tempdir = None


def _keep_logs(places: Iterable[Path], folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    logs = [(folder / log.name, log.read_bytes()) for place in places for log in sorted(place.glob("*.log"))]
    write_files(*logs)
    return [path for path, _ in logs]


def _settings(seconds: float, seed: int) -> dict[str, Any]:
    return {
        "seconds": seconds,
        "seed": seed,
        "versions": {
            "quench": VERSION,
            "kernel": platform.release(),
            "python": platform.python_version(),
        },
    }
