# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Show where a packet's time goes: stacks of the switch's busiest thread, while it gets more than it can forward.

Needs perf (Debian's linux-perf) and root. The clock is the software's, cpu-clock: hardware counters are not needed.
"""

import os
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import script
import typer
from figures import BenchError
from quench_topologies.process import give_session_priority
from rich.table import Table
from wire import PRIORITY
from wire_devices import Switch, processor_s
from wire_ends import result_of
from wire_measure import Cores, Wire
from wire_network import Network, network

SAMPLES_PER_S = 1999
LEAD_S = 0.5
PERF_START_S = 4.0
"""The time that perf may take to begin: the load lasts so much longer."""
KERNEL = (
    ("the next host's receipt of what was sent", ("net_rx_action", "__do_softirq", "handle_softirqs")),
    ("send: allocation, copy, way to the interface", ("__x64_sys_sendto", "__sys_sendto", "__sys_sendmmsg")),
    ("recvmmsg: copy and release", ("do_recvmmsg", "__sys_recvmmsg")),
    ("waiting (epoll, poll)", ("do_epoll_wait", "ep_poll", "do_sys_poll", "__x64_sys_epoll_wait")),
)
"""Groups by functions of the kernel in a stack; the first that fits counts."""
OTHER_KERNEL = "the way into the kernel and back, and the rest of it"
USER = (
    ("the switch: parsing of batches, queues, scheduling", "_native"),
    ("allocation and copies of libc", "libc"),
)
CODE = "machine code of the P4 program"


def main(
    seconds: Annotated[float, typer.Option(min=0.5, help="Of sampling.")] = 2.0,
    size: Annotated[int, typer.Option(min=60, max=1514, help="Bytes of a frame.")] = 60,
    profile: Annotated[bool, typer.Option("--profile", help="With an ECN profile.")] = False,
    arguments: Annotated[str, typer.Option(help="Words for the switch.")] = "",
) -> None:
    """Sample, and print the shares."""
    if shutil.which("perf") is None:
        raise BenchError("perf is not installed: install Debian's linux-perf")
    os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)
    cores = Cores.shared_out(1)
    with tempfile.TemporaryDirectory(prefix="quench-bench-") as name, network(1, Path(name)) as made:
        device = Switch("switch", profile=profile, arguments=tuple(arguments.split()))
        with device.running(made, cores.device, Path(name)) as running:
            (pid,) = running.pids
            wire = Wire(made, cores, seconds)
            sender = wire.sender(made.pairs[0], seconds + PERF_START_S, size)
            time.sleep(LEAD_S)
            busy_s, sent = processor_s([pid]), _sent_pkts(made)
            recorded = _record(pid, seconds, Path(name) / "perf.data")
            busy_s, sent = processor_s([pid]) - busy_s, _sent_pkts(made) - sent
            result_of(sender)
        groups = _groups(recorded)
    total = groups.total()
    table = Table("", "share", "ns of a packet", title=f"Where the time of a packet of {size} B goes, {total} samples")
    for group, number in groups.most_common():
        table.add_row(group, f"{number / total:.0%}", f"{number / total * busy_s / sent * 1e9:.0f}")
    table.add_row("all", "", f"{busy_s / sent * 1e9:.0f}")
    script.console().print(table)


def _sent_pkts(made: Network) -> int:
    lines = Path("/proc/thread-self/net/dev").read_text().splitlines()
    out = made.pairs[0].interfaces[1]
    return next(int(line.split()[10]) for line in lines if line.strip().startswith(f"{out}:"))


def _record(pid: int, seconds: float, path: Path) -> Path:
    words = ["perf", "record", "--quiet", "-e", "cpu-clock", "-F", str(SAMPLES_PER_S), "-g", "-o", str(path)]
    process = subprocess.Popen([*words, "-p", str(pid), "--", "sleep", str(seconds)], start_new_session=True)
    give_session_priority(process.pid)
    if process.wait():
        raise BenchError("perf record failed: see above")
    return path


def _groups(path: Path) -> Counter[str]:
    """The samples of the busiest thread by group."""
    text = script.timed(["perf", "script", "-i", str(path), "-F", "tid,ip,sym,dso"]).output
    threads: dict[str, Counter[str]] = {}
    for tid, stack in _samples(text):
        threads.setdefault(tid, Counter())[_group(stack)] += 1
    if not threads:
        raise BenchError("perf recorded no sample of the switch: try again with more --seconds")
    return max(threads.values(), key=Counter.total)


def _samples(text: str) -> Iterator[tuple[str, list[str]]]:
    """The thread, and the lines of the stack from its top: address, symbol, and the file in brackets."""
    for sample in text.split("\n\n"):
        lines = [line.strip() for line in sample.splitlines() if line.strip()]
        if len(lines) > 1:
            yield lines[0], lines[1:]


def _group(stack: list[str]) -> str:
    symbols = {line.split()[1].partition("+")[0] for line in stack if len(line.split()) > 2}
    if "kernel" in stack[0].rpartition("(")[2]:
        return next((group for group, names in KERNEL if symbols & set(names)), OTHER_KERNEL)
    file = stack[0].rpartition("(")[2]
    return next((group for group, part in USER if part in file), CODE)


if __name__ == "__main__":
    script.run(main)
