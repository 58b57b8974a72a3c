# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""quench-host in the tests' namespaces, and a pair of hosts at the ends of a wire."""

from __future__ import annotations

import json
import re
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hostlab.netns import Namespace, connect
from hostlab.transfer import Transfer
from hostlab.wire import Wire

QUENCH_HOST = str(Path(__file__).resolve().parents[3] / "build" / "host" / "quench-host")
ONE_WAY_DELAY_S = 0.025
# 40 packets, the largest window, just fill the round trip.
DATA_SPACING_S = 0.00125
LEFT, RIGHT = "10.9.0.1", "10.9.0.2"

NewNamespace = Callable[[], Namespace]


def algorithms() -> list[str]:
    """All that quench-host can enable, from its help."""
    usage = subprocess.run([QUENCH_HOST, "--help"], check=True, capture_output=True, text=True).stdout
    found = re.search(r"--algo (\S+)", usage)
    assert found is not None, usage
    return found.group(1).split("|")


def quench_host(ns: Namespace, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run quench-host in a namespace."""
    return ns.run(QUENCH_HOST, *arguments, check=check)


def status(ns: Namespace) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(quench_host(ns, "status", "--json").stdout)
    return result


def counters(ns: Namespace) -> dict[str, int]:
    """The counters that are not zero."""
    return {name: value for name, value in status(ns)["counters"].items() if value}


class Pair:
    """A sender (device ``h0``) and a receiver (``h1``) at the two ends of a wire, which may be in a VLAN."""

    def __init__(
        self, new_namespace: NewNamespace, one_way_delay_s: float = ONE_WAY_DELAY_S, vlan: int | None = None
    ) -> None:
        self.sender, self.receiver, self.middle = new_namespace(), new_namespace(), new_namespace()
        middle = self.middle
        connect(self.sender, "h0", middle, "w0", vlan)
        connect(self.receiver, "h1", middle, "w1", vlan)
        self.sender.run("ip", "address", "add", f"{LEFT}/24", "dev", "h0")
        self.receiver.run("ip", "address", "add", f"{RIGHT}/24", "dev", "h1")
        spacing_s = DATA_SPACING_S * one_way_delay_s / ONE_WAY_DELAY_S
        self.wire = Wire(middle, one_way_delay_s, spacing_s)
        self._transfers: list[Transfer] = []
        self._watchers: list[threading.Thread] = []
        self._late = 0

    def enable(self, algo: str, *settings: str, receiver_algo: str | None = None, paper: bool = True) -> None:
        """Enable both ends. The window is limited to 40 packets, so that it stands still without signals."""
        common = ["--paper"] if paper else []
        arguments = [item for setting in ("max_cwnd_pkts=40", *settings) for item in ("--set", setting)]
        quench_host(self.sender, "enable", "--algo", algo, "--dev", "h0", *common, *arguments)
        quench_host(self.receiver, "enable", "--algo", receiver_algo or algo, "--dev", "h1", *common)

    def transfer(self, *, passive: bool = False) -> Transfer:
        """Start a transfer and wait until its window stands at the limit."""
        address = LEFT if passive else RIGHT
        transfer = Transfer(self.sender, self.receiver, address, 5000 + len(self._transfers), passive=passive)
        self._transfers.append(transfer)
        transfer.until(lambda w: w.cwnd_pkts == 40)
        return transfer

    def when(self, condition: Callable[[], bool], action: Callable[[], None]) -> None:
        """Act as soon as the condition holds, from another thread. If it never holds, closing the pair fails."""

        def watch() -> None:
            deadline = time.monotonic() + 20
            while not condition():
                if time.monotonic() > deadline:
                    self._late += 1
                    return
                time.sleep(0.0005)
            action()

        self._watchers.append(threading.Thread(target=watch, name="watch"))
        self._watchers[-1].start()

    def close(self) -> None:
        for watcher in self._watchers:
            watcher.join()
        for transfer in self._transfers:
            transfer.close()
        self.wire.close()
        assert not self._late, "a condition that the test waited for never held"
