# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The service of simple_switch (queues, mirroring, its clock), and the ports of any BMv2 target."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bm_runtime.standard import ttypes as t

from quench_switch.errors import DataPlaneError
from quench_switch.p4runtime.errors import cut

from .errors import unsupported
from .replication import Replication
from .running import Running

if TYPE_CHECKING:
    from sswitch_runtime.ttypes import MirroringSessionConfig

    from .attaching import Attaching

_log = logging.getLogger(__name__)

_NET: Final = Path("/sys/class/net")


class Target:
    """The service SimpleSwitch. Its integers are 0 for what was done."""

    def __init__(self, running: Running, replication: Replication, priority_queues: int, start_ns: int) -> None:
        self._running = running
        self._switch = running.switch
        self._replication = replication
        self._priority_queues = priority_queues
        self._start_ns = start_ns

    # -- Queues -------------------------------------------------------------------------------------------

    def set_egress_queue_rate(self, port: int, rate_pps: int) -> int:
        """The rate of each queue of a port; that of a port with a single queue is the port's."""
        if self._priority_queues == 1:
            self._switch.port_set(port, {"rate_pps": rate_pps})
        else:
            rates = dict.fromkeys(range(self._priority_queues), rate_pps)
            self._switch.port_set(port, {"queue_rate_pps": rates})
        return 0

    def set_all_egress_queue_rates(self, rate_pps: int) -> int:
        """The rate of each queue of each port."""
        for port in self._switch.ports():
            self.set_egress_queue_rate(port, rate_pps)
        return 0

    def set_egress_priority_queue_rate(self, port: int, priority: int, rate_pps: int) -> int:
        """The rate of one queue."""
        queue = self._queue(priority)
        if self._priority_queues == 1:
            return self.set_egress_queue_rate(port, rate_pps)
        self._switch.port_set(port, {"queue_rate_pps": {queue: rate_pps}})
        return 0

    def set_egress_queue_depth(self, port: int, depth_pkts: int) -> int:
        """The capacity of each queue of a port."""
        self._switch.port_set(port, {"capacity_pkts": depth_pkts})
        return 0

    def set_all_egress_queue_depths(self, depth_pkts: int) -> int:
        """The capacity of each queue."""
        for port in self._switch.ports():
            self.set_egress_queue_depth(port, depth_pkts)
        return 0

    def set_egress_priority_queue_depth(self, port: int, priority: int, depth_pkts: int) -> int:
        """The capacity of one queue."""
        self._switch.port_set(port, {"queue_capacity_pkts": {self._queue(priority): depth_pkts}})
        return 0

    def _queue(self, priority: int) -> int:
        """A queue of a port, numbered as in programs: the largest is the most urgent one."""
        if not 0 <= priority < self._priority_queues:
            raise unsupported(f"priority {priority}: the switch has {self._priority_queues} queues for each port")
        return priority

    # -- Mirroring ----------------------------------------------------------------------------------------

    def mirroring_session_add(self, number: int, config: MirroringSessionConfig) -> None:
        """Make a session, or change it."""
        self._replication.mirroring_session_add(number, config)

    def mirroring_session_delete(self, number: int) -> None:
        """Delete a session."""
        self._replication.mirroring_session_delete(number)

    def mirroring_session_get(self, number: int) -> MirroringSessionConfig:
        """A session."""
        return self._replication.mirroring_session_get(number)

    def mirroring_mapping_add(self, number: int, port: int) -> int:
        """The same in the older interface."""
        from sswitch_runtime.ttypes import MirroringSessionConfig

        self._replication.mirroring_session_add(number, MirroringSessionConfig(port=port))
        return 0

    def mirroring_mapping_delete(self, number: int) -> int:
        """The same in the older interface."""
        self._replication.mirroring_session_delete(number)
        return 0

    def mirroring_mapping_get_egress_port(self, number: int) -> int:
        """The port of a session; -1 for a session without one."""
        port = self._replication.mirroring_session_get(number).port
        return -1 if port is None else port

    # -- Time ---------------------------------------------------------------------------------------------

    def get_time_elapsed_us(self) -> int:
        """Since the start, in microseconds."""
        return (time.monotonic_ns() - self._start_ns) // 1000

    def get_time_since_epoch_us(self) -> int:
        """Since 1970, in microseconds."""
        return time.time_ns() // 1000


class Ports:
    """The methods ``bm_dev_mgr_*``."""

    def __init__(self, running: Running, attaching: Attaching) -> None:
        self._switch = running.switch
        self._attaching = attaching
        self._interfaces = attaching.interfaces

    def bm_dev_mgr_add_port(self, interface: str, port: int, pcap_path: str) -> None:
        """Attach an interface that was granted. The captures' names begin with ``pcap_path``; an empty one: none.

        The interface's exceptions have no text: the reason is in the switch's log.
        """
        try:
            prefix = self._attaching.capture(pcap_path) if pcap_path else None
            refusal = self._attaching.refusal(interface)
            if refusal is not None:
                raise ValueError(refusal)
            self._switch.add_port(port, interface, prefix)
        except (OSError, ValueError, DataPlaneError) as error:
            _log.warning("Thrift: port %d is not attached: %s", port, cut(str(error)))
            raise t.InvalidDevMgrOperation(t.DevMgrErrorCode.ERROR) from error
        self._interfaces[port] = interface

    def bm_dev_mgr_remove_port(self, port: int) -> None:
        """Detach an interface."""
        if port not in self._interfaces:
            raise t.InvalidDevMgrOperation(t.DevMgrErrorCode.ERROR)
        self._switch.remove_port(port)
        del self._interfaces[port]

    def bm_dev_mgr_show_ports(self) -> list[t.DevMgrPortInfo]:
        """All ports with an interface."""
        return [
            t.DevMgrPortInfo(port_num=port, iface_name=interface, is_up=_is_up(interface), extra={})
            for port, interface in sorted(self._interfaces.items())
        ]


def _is_up(interface: str) -> bool:
    try:
        return (_NET / interface / "operstate").read_text().strip() in ("up", "unknown")
    except OSError:
        # It was removed.
        return False
