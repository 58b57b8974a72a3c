# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Two methods of SimpleSwitch that are newer than the package's code: rate and depth of one queue of a port."""

from __future__ import annotations

from typing import Any, Final

from sswitch_runtime import SimpleSwitch
from thrift.protocol.TBase import TBase
from thrift.Thrift import TMessageType, TType


class _Arguments(TBase):  # type: ignore[misc]
    thrift_spec: tuple[Any, ...] = (
        None,
        (1, TType.I32, "port_num", None, None),
        (2, TType.I32, "priority", None, None),
    )
    port_num: int | None = None
    priority: int | None = None


class _RateArguments(_Arguments):
    thrift_spec = (*_Arguments.thrift_spec, (3, TType.I64, "value", None, None))
    value: int | None = None


class _DepthArguments(_Arguments):
    thrift_spec = (*_Arguments.thrift_spec, (3, TType.I32, "value", None, None))
    value: int | None = None


_METHODS: Final[dict[str, type[Any]]] = {
    "set_egress_priority_queue_rate": _RateArguments,
    "set_egress_priority_queue_depth": _DepthArguments,
}
"""Their result is that of set_egress_queue_rate."""


class Processor(SimpleSwitch.Processor):  # type: ignore[misc]
    """The server's side."""

    def __init__(self, handler: Any) -> None:
        super().__init__(handler)
        for name in _METHODS:
            self._processMap[name] = _processing(name)


def _processing(name: str) -> Any:
    """The function that processes a method as the package's code does; the arguments have one name more."""

    def process(self: Processor, sequence: int, iprot: Any, oprot: Any) -> None:
        arguments = _METHODS[name]()
        arguments.read(iprot)
        iprot.readMessageEnd()
        result: Any = SimpleSwitch.set_egress_queue_rate_result()
        kind = TMessageType.REPLY
        try:
            result.success = getattr(self._handler, name)(arguments.port_num, arguments.priority, arguments.value)
        except SimpleSwitch.TApplicationException as error:
            kind, result = TMessageType.EXCEPTION, error
        oprot.writeMessageBegin(name, kind, sequence)
        result.write(oprot)
        oprot.writeMessageEnd()
        oprot.trans.flush()

    return process


class Client(SimpleSwitch.Client):  # type: ignore[misc]
    """The client's side."""

    def set_egress_priority_queue_rate(self, port: int, priority: int, rate_pps: int) -> int:
        """The rate of one queue, in packets per second."""
        return self._call("set_egress_priority_queue_rate", port, priority, rate_pps)

    def set_egress_priority_queue_depth(self, port: int, priority: int, depth_pkts: int) -> int:
        """The capacity of one queue, in packets."""
        return self._call("set_egress_priority_queue_depth", port, priority, depth_pkts)

    def _call(self, name: str, port: int, priority: int, value: int) -> int:
        arguments = _METHODS[name]()
        arguments.port_num, arguments.priority, arguments.value = port, priority, value
        self._oprot.writeMessageBegin(name, TMessageType.CALL, self._seqid)
        arguments.write(self._oprot)
        self._oprot.writeMessageEnd()
        self._oprot.trans.flush()
        # The answer has the form of this method's, which reads no name.
        return int(self.recv_set_egress_queue_rate())
