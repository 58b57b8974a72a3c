# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Hands the windows of the hosts' connections to the controller's feed: only this process has their namespaces."""

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from quench.errors import ControllerError
from quench.feed.model import IDLE_S, INTERVAL_S, FlowSample, HostSample
from quench.feed.tcp_flows import TcpFlows
from quench.service.protocol import ControlClient

from quench_topologies.errors import TopologyError
from quench_topologies.hosts import PlannedHost
from quench_topologies.isolation import inside_namespace
from quench_topologies.program import find_host_loader

LOGGER = logging.getLogger(__name__)

STATUS_S = 0.5
"""Time between two calls of quench-host, which go round the hosts: each starts a process."""
REPORTER = "network"
MOST_FAILURES = 3
"""Failures of a host in a row after which it is left out."""


@contextmanager
def flows_in_feed(socket: Path, hosts: Mapping[str, PlannedHost]) -> Iterator[None]:
    """Report the hosts' flows to the controller's feed while the block runs, and their counters while it is watched."""
    with ExitStack() as stack:
        readers = {}
        for name, host in hosts.items():
            with inside_namespace(host.namespace):
                readers[name] = TcpFlows(name)
            stack.callback(readers[name].close)
        reporter = _Reporter(ControlClient(socket), hosts, readers)
        stack.callback(reporter.stop)
        reporter.start()
        yield


class _Reporter:
    def __init__(
        self, control: ControlClient, hosts: Mapping[str, PlannedHost], readers: Mapping[str, TcpFlows]
    ) -> None:
        self._control = control
        self._hosts = hosts
        self._readers = dict(readers)
        self._loader = _loader()
        self._statuses: dict[str, HostSample] = {}
        self._failures = dict.fromkeys(hosts, 0)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="flow feed", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        watched = False
        until_status = 0
        names = list(self._hosts)
        turn = 0
        while not self._ended.wait(INTERVAL_S if watched else IDLE_S):
            if watched and self._loader is not None and until_status <= 0:
                self._read_status(names[turn % len(names)])
                turn += 1
                until_status = round(STATUS_S / INTERVAL_S)
            until_status -= 1
            try:
                watched = self._control.call(
                    "feed.flows",
                    reporter=REPORTER,
                    hosts=list(self._statuses.values()) if watched else [],
                    flows=self._flows(),
                )["watched"]
            except ControllerError as error:
                # It is started again, or the network ends.
                LOGGER.debug("flows are not handed in: %s", error)
                watched = False

    def _flows(self) -> list[FlowSample]:
        flows: list[FlowSample] = []
        for name, reader in list(self._readers.items()):
            try:
                flows += reader.read()
            except OSError as error:
                LOGGER.warning("%s: its connections are not in the live view: %s", name, error)
                del self._readers[name]
        return flows

    def _read_status(self, name: str) -> None:
        assert self._loader is not None
        if self._failures[name] >= MOST_FAILURES:
            return
        try:
            status = self._hosts[name].status(self._loader)
            self._failures[name] = 0
        except TopologyError as error:
            self._failures[name] += 1
            LOGGER.debug("%s", error)
            return
        if status["enabled"]:
            self._statuses[name] = {"host": name, "algorithm": status["algo"], "counters": _counted(status["counters"])}
        else:
            self._statuses.pop(name, None)


def _loader() -> Path | None:
    try:
        return find_host_loader()
    except TopologyError:
        # The host stack is not built: no host can run it.
        return None


def _counted(counters: Mapping[str, int]) -> dict[str, int]:
    """The counters without those that are 0: most of them, in most algorithms."""
    return {name: count for name, count in counters.items() if count}
