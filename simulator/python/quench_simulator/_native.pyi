# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Types of the compiled module: the simulator. Its conventions are those of ``quench_switch._native``."""

from collections.abc import Callable
from typing import Any, Final, Self, final

from quench_switch import Control

MAX_THREADS: Final[int]
"""The most threads that may share a run."""

HOST_IPV6_PREFIX: Final[str]
"""The prefix of all hosts' IPv6 addresses, 96 bits long: a host's IPv4 address is the rest."""

def host_algorithms() -> dict[str, bool]:
    """The window algorithms of ``host_stack/cc`` by name, and whether source quenches reach each (docs/hosts.md)."""

def check_stack(json: str) -> None:
    """Check one of a scenario's stacks. Raises :class:`ValueError` of two texts: the field or "", and the fault."""

def stack_ip_version(json: str) -> int:
    """Return 4 or 6, the version of the IP packets of one of a scenario's stacks. Raises as ``check_stack`` does."""

def check_source(json: str) -> None:
    """As ``check_stack``, of a source. Names of hosts and stacks are not looked up."""

@final
class Simulation:
    """A network in virtual time whose routers run the program; docs/reference/simulator.md describes the scenario.

    ``threads`` share a run, 1 to ``MAX_THREADS``, and 1 if none are named; the results are the same for any number.
    Raises :class:`ValueError` with one line that says where the scenario is wrong.
    """

    def __new__(cls, scenario_json: str, program_json: str, threads: int = ...) -> Self: ...
    @property
    def cells(self) -> int:
        """The parts into which the network is cut; more threads than these have nothing to do."""
    @property
    def now_ns(self) -> int: ...
    @property
    def duration_ns(self) -> int:
        """The end of the scenario, in nanoseconds."""
    def router(self, name: str) -> Control:
        """A router's data plane, for the time before the run and between two; see ``run_until``."""
    def run_until(self, until_ns: int, controller: Callable[[int, int, bytes], bytes | None]) -> None:
        """Go through all events until then, or to the scenario's end if that is earlier; releases the GIL.

        ``controller`` is called with each packet-in: the router's place in the scenario, the time in ns, and the packet
        with its header. What it returns is the packet-out that answers, with its header. What it raises ends the run,
        as Ctrl-C does. Raises :class:`ValueError` where a capture cannot be written.
        Until this returns, all else that is asked of the simulation or of its routers raises :class:`RuntimeError`.
        """
    def snapshot(self) -> dict[str, Any]:
        """The network as it is now, for those who watch it between two runs; looking changes nothing.

        ``now_s``; ``ports``: a dictionary for each direction out of a router, with ``direction``, ``queues`` (``pkts``,
        ``bytes``, ``average_pkts``), ``tx_bytes``, ``dropped_full_pkts`` and ``program`` (``name``, ``packets``,
        ``bytes`` of its counters of ports); ``sources``: ``name``, ``window`` (``cwnd_pkts``, ``ssthresh_pkts``,
        ``srtt_s`` of its newest connection, or None), ``acked_bytes``, ``retransmitted_pkts``, ``reactions``.
        """
    def forget_records(self) -> None:
        """Forget the objects, files and calls up to now: ``results`` has only later ones."""
    def set_rate(self, direction: str, rate_bps: float) -> None:
        """Change the rate of a direction, ``LINK.ab`` or ``LINK.ba``, from now on.

        Raises :class:`ValueError` where there is no such direction, or for an impossible rate.
        """
    def results(self) -> dict[str, Any]:
        """The results until now, from the warm-up's end on.

        ``now_s``, ``measured_s``, ``events``; lists of dictionaries ``directions`` (``ab`` and ``ba`` of each link in
        turn), ``sources``, ``routers``, ``hosts``; ``records``: ``objects``, ``files`` and ``calls``, each a dictionary
        of NumPy columns, of which ``source`` is the source's place; and ``series``, a list of dictionaries ``name``,
        ``columns``, ``time_s`` and ``values`` (a row for each point).
        """
