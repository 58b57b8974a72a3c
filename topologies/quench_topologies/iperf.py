# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Mininet's network with an ``iperf`` that ends.

Mininet 2.3 waits for two reports of the server, the first of them about its own probe of the port, which iperf 2.1
(Debian 12) does not report. It also ends every iperf of the machine before it begins.
"""

import re
import subprocess
import time
from pathlib import Path
from typing import Any

from quench_topologies.mininet_api import Mininet, output

LISTENS_S = 10.0
"""Time for the server to listen."""
TRANSFER_S = 60.0
"""Time for the connection and for what waits in queues, beside the time in which the client sends."""
_LISTEN_STATES = {"tcp": "0A", "udp": "07"}
"""The states in /proc/PID/net (include/net/tcp_states.h): a listener, and a socket without a peer."""


class IperfError(Exception):
    """One line: what, where, what to do. The network goes on."""


class MeasuredMininet(Mininet):  # type: ignore[misc]
    """A network whose ``iperf`` uses no other process than its own two."""

    def iperf(
        self,
        hosts: Any = None,
        l4Type: str = "TCP",  # noqa: N803  Mininet's signature
        udpBw: str = "10M",  # noqa: N803
        fmt: str | None = None,
        seconds: int = 5,
        port: int = 5001,
    ) -> list[str]:
        """Rates that server and client report, for UDP behind the rate that was asked for. Raises IperfError."""
        client, server = hosts or (self.hosts[0], self.hosts[-1])
        output(f"*** Iperf: testing {l4Type} bandwidth between {client} and {server}\n")
        common = ["iperf", "-p", str(port), *(["-f", fmt] if fmt else []), *(["-u"] if l4Type == "UDP" else [])]
        receiving = server.popen([*common, "-s", "-P", "1"], text=True)
        try:
            _wait_for_listener(server, receiving, l4Type.lower(), port)
            rate = ["-b", udpBw] if l4Type == "UDP" else []
            sending = client.popen([*common, "-c", server.IP(), "-t", str(seconds), *rate], text=True)
            try:
                reports = [_report(each, seconds + TRANSFER_S) for each in (sending, receiving)]
            finally:
                sending.kill()
                sending.communicate()
        finally:
            receiving.kill()
            receiving.communicate()
        result = [*([udpBw] if l4Type == "UDP" else []), reports[1], reports[0]]
        output(f"*** Results: {result}\n")
        return result


def _wait_for_listener(server: Any, process: Any, protocol: str, port: int) -> None:
    wanted = re.compile(rf"^ *\d+: \w+:{port:04X} \w+:0000 {_LISTEN_STATES[protocol]} ", re.MULTILINE)
    deadline = time.monotonic() + LISTENS_S
    while not wanted.search(Path(f"/proc/{server.pid}/net/{protocol}").read_text()):
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            words = " ".join(process.communicate()).strip().splitlines()
            raise IperfError(f"iperf: {server} does not listen at port {port}: {words[-1] if words else 'no word'}")
        time.sleep(0.02)


def _report(process: Any, timeout_s: float) -> str:
    """The last rate that a process reports, once it has ended."""
    try:
        said, errors = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired as error:
        raise IperfError(f"iperf had not ended after {timeout_s:g} s: do the hosts reach each other?") from error
    rates = re.findall(r"[\d.]+ \w+/sec", said)
    if not rates:
        words = (errors or said).strip().splitlines()
        raise IperfError(f"iperf measured nothing: {words[-1] if words else 'it said nothing'}")
    return str(rates[-1])
