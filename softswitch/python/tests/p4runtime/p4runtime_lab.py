# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A plain client of P4Runtime with the stock messages, and names of what a program has."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import grpc
import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import U128, p4i, p4r, p4r_grpc, rpc_status
from google.protobuf.json_format import MessageToDict
from google.protobuf.struct_pb2 import Struct

DEVICE_ID = 1
CPU_PORT = 510
TIMEOUT_S = 5.0
START_TIMEOUT_S = 15.0
PROGRAMS = Path(__file__).parent / "programs"


def table_update(kind: p4r.Update.Type, entry: p4r.TableEntry) -> p4r.Update:
    """An update of one entry of a table."""
    return p4r.Update(type=kind, entity=p4r.Entity(table_entry=entry))


def read_table(client: Client, names: Names, table: str, **fields: Any) -> list[Any]:
    """The entries of a table that a Read with these fields gives."""
    return client.read(table_entry=p4r.TableEntry(table_id=names.id(table), **fields))


class Stream:
    """One StreamChannel. The switch's messages wait in ``responses``."""

    def __init__(self, stub: p4r_grpc.P4RuntimeStub) -> None:
        self._requests: queue.SimpleQueue[p4r.StreamMessageRequest | None] = queue.SimpleQueue()
        self._responses: queue.SimpleQueue[p4r.StreamMessageResponse | None] = queue.SimpleQueue()
        self.error: grpc.RpcError | None = None
        self._call = stub.StreamChannel(iter(self._requests.get, None))
        self._thread = threading.Thread(target=self._receive, daemon=True)
        self._thread.start()

    def _receive(self) -> None:
        try:
            for response in self._call:
                self._responses.put(response)
        except grpc.RpcError as error:
            self.error = error
        self._responses.put(None)

    def send(self, request: p4r.StreamMessageRequest) -> None:
        self._requests.put(request)

    def arbitrate(self, election_id: int | None, device_id: int = DEVICE_ID, role: str = "") -> None:
        update = p4r.MasterArbitrationUpdate(device_id=device_id)
        if election_id is not None:
            update.election_id.CopyFrom(U128.encode(election_id))
        if role:
            update.role.name = role
        self.send(p4r.StreamMessageRequest(arbitration=update))

    def receive(self, kind: str, *, after: str | None = None) -> Any:
        """The next message, which has to be of a kind, or of the kind before which any number of others comes."""
        response = None
        while response is None or response.WhichOneof("update") == after:
            response = self._responses.get(timeout=TIMEOUT_S)
            assert response is not None, f"the stream ended: {self.error}"
        assert response.WhichOneof("update") == kind, response
        return getattr(response, kind)

    def receive_end(self) -> Code:
        """The code that the switch ends the stream with."""
        response = self._responses.get(timeout=TIMEOUT_S)
        assert response is None, response
        assert self.error is not None
        return Code.from_status_code(self.error.code())

    def is_silent(self, seconds: float = 0.2) -> bool:
        try:
            self._responses.get(timeout=seconds)
        except queue.Empty:
            return True
        return False

    def close(self) -> None:
        self._requests.put(None)
        self._call.cancel()
        self._thread.join(TIMEOUT_S)


class Client:
    """Calls with the stock messages, as the primary with election id 1 unless another is given."""

    def __init__(self, address: str) -> None:
        self._channel = grpc.insecure_channel(address, options=[("grpc.max_metadata_size", 1 << 20)])
        self.stub = p4r_grpc.P4RuntimeStub(self._channel)
        self._streams: list[Stream] = []

    def stream(self) -> Stream:
        stream = Stream(self.stub)
        self._streams.append(stream)
        return stream

    def become_primary(self, election_id: int = 1) -> Stream:
        stream = self.stream()
        stream.arbitrate(election_id)
        assert stream.receive("arbitration").status.code == Code.OK
        return stream

    def close(self) -> None:
        for stream in self._streams:
            stream.close()
        self._channel.close()

    def set_config(
        self,
        config: p4r.ForwardingPipelineConfig | None,
        action: int = p4r.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT,
        election_id: int = 1,
        device_id: int = DEVICE_ID,
        **fields: Any,
    ) -> None:
        request = p4r.SetForwardingPipelineConfigRequest(
            device_id=device_id, election_id=U128.encode(election_id), action=action, config=config, **fields
        )
        self.stub.SetForwardingPipelineConfig(request, timeout=TIMEOUT_S)

    def get_config(self, response_type: int = 0) -> p4r.GetForwardingPipelineConfigResponse:
        request = p4r.GetForwardingPipelineConfigRequest(device_id=DEVICE_ID, response_type=response_type)
        return self.stub.GetForwardingPipelineConfig(request, timeout=TIMEOUT_S)

    def write(self, *updates: p4r.Update, election_id: int = 1, **fields: Any) -> None:
        request = p4r.WriteRequest(device_id=DEVICE_ID, election_id=U128.encode(election_id), updates=updates, **fields)
        self.stub.Write(request, timeout=TIMEOUT_S)

    def try_write(self, *updates: p4r.Update, **fields: Any) -> list[Code]:
        """Codes of all updates of a batch, from the status details."""
        try:
            self.write(*updates, **fields)
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.UNKNOWN, error
            details = dict(error.trailing_metadata())["grpc-status-details-bin"]
            status = rpc_status.Status.FromString(details)
            assert status.code == Code.UNKNOWN
            assert status.message == error.details()
            codes = []
            for detail in status.details:
                item = p4r.Error()
                assert detail.Unpack(item)
                # An error that does not fit into gRPC's metadata has no text.
                assert item.canonical_code != Code.OK or not item.message
                codes.append(Code(item.canonical_code))
            return codes
        return [Code.OK] * len(updates)

    def refusal(self, update: p4r.Update) -> Code:
        """Code of a single update."""
        (code,) = self.try_write(update)
        return code

    def insert(self, **entity: Any) -> None:
        self.write(p4r.Update(type=p4r.Update.INSERT, entity=p4r.Entity(**entity)))

    def modify(self, **entity: Any) -> None:
        self.write(p4r.Update(type=p4r.Update.MODIFY, entity=p4r.Entity(**entity)))

    def delete(self, **entity: Any) -> None:
        self.write(p4r.Update(type=p4r.Update.DELETE, entity=p4r.Entity(**entity)))

    def read(self, **entity: Any) -> list[Any]:
        """The answer to a request for one entity, unwrapped."""
        (kind,) = entity
        request = p4r.ReadRequest(device_id=DEVICE_ID, entities=[p4r.Entity(**entity)])
        responses = self.stub.Read(request, timeout=TIMEOUT_S)
        return [getattr(found, kind) for response in responses for found in response.entities]

    @staticmethod
    def code(call: Callable[[], object]) -> Code:
        """The code that a call fails with."""
        with pytest.raises(grpc.RpcError) as caught:
            call()
        return Code.from_status_code(caught.value.code())


class Names:
    """Messages by the names of a P4Info."""

    def __init__(self, info: p4i.P4Info) -> None:
        self.info = info
        self.tables = {table.preamble.alias: table for table in info.tables}
        self.actions = {action.preamble.alias: action for action in info.actions}

    def id(self, alias: str) -> int:
        """Id of the one object with an alias."""
        kinds: list[Iterable[Any]] = [
            self.info.tables,
            self.info.actions,
            self.info.action_profiles,
            self.info.counters,
            self.info.meters,
            self.info.registers,
            self.info.value_sets,
            self.info.digests,
        ]
        (found,) = [item.preamble.id for kind in kinds for item in kind if item.preamble.alias == alias]
        return int(found)

    def action(self, alias: str, *values: bytes) -> p4r.Action:
        """A call with its arguments in order."""
        params = [p4r.Action.Param(param_id=place, value=value) for place, value in enumerate(values, start=1)]
        return p4r.Action(action_id=self.id(alias), params=params)

    def entry(
        self, table: str, *match: p4r.FieldMatch, action: p4r.Action | None = None, **fields: Any
    ) -> p4r.TableEntry:
        """A table entry."""
        entry = p4r.TableEntry(table_id=self.id(table), match=match, **fields)
        if action is not None:
            entry.action.action.CopyFrom(action)
        return entry


def exact(value: bytes, field_id: int = 1) -> p4r.FieldMatch:
    return p4r.FieldMatch(field_id=field_id, exact=p4r.FieldMatch.Exact(value=value))


def lpm(value: bytes, prefix_len: int, field_id: int = 1) -> p4r.FieldMatch:
    return p4r.FieldMatch(field_id=field_id, lpm=p4r.FieldMatch.LPM(value=value, prefix_len=prefix_len))


def ternary(value: bytes, mask: bytes, field_id: int = 1) -> p4r.FieldMatch:
    return p4r.FieldMatch(field_id=field_id, ternary=p4r.FieldMatch.Ternary(value=value, mask=mask))


def optional(value: bytes, field_id: int = 1) -> p4r.FieldMatch:
    return p4r.FieldMatch(field_id=field_id, optional=p4r.FieldMatch.Optional(value=value))


def value_range(low: bytes, high: bytes, field_id: int = 1) -> p4r.FieldMatch:
    return p4r.FieldMatch(field_id=field_id, range=p4r.FieldMatch.Range(low=low, high=high))


def extern_entry(type_id: int, extern_id: int, fields: dict[str, Any] | None = None) -> p4r.ExternEntry:
    """An entry of an extern whose content is a ``Struct``."""
    made = p4r.ExternEntry(extern_type_id=type_id, extern_id=extern_id)
    if fields is not None:
        content = Struct()
        content.update(fields)
        made.entry.Pack(content)
    return made


def fields_of(found: p4r.ExternEntry) -> dict[str, Any]:
    """The content of such an entry."""
    content = Struct()
    assert found.entry.Unpack(content)
    return MessageToDict(content)
