# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import Any as _Any, ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CopyKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COPY_KIND_NONE: _ClassVar[CopyKind]
    CLONE_INGRESS: _ClassVar[CopyKind]
    CLONE_EGRESS: _ClassVar[CopyKind]
    REPLICA: _ClassVar[CopyKind]
    RESUBMIT: _ClassVar[CopyKind]
    RECIRCULATE: _ClassVar[CopyKind]
COPY_KIND_NONE: CopyKind
CLONE_INGRESS: CopyKind
CLONE_EGRESS: CopyKind
REPLICA: CopyKind
RESUBMIT: CopyKind
RECIRCULATE: CopyKind

class TraceRequest(_message.Message):
    __slots__ = ("ingress_port", "packets", "trace_bytes")
    INGRESS_PORT_FIELD_NUMBER: _ClassVar[int]
    PACKETS_FIELD_NUMBER: _ClassVar[int]
    TRACE_BYTES_FIELD_NUMBER: _ClassVar[int]
    ingress_port: int
    packets: int
    trace_bytes: int
    def __init__(self, ingress_port: _Optional[int] = ..., packets: _Optional[int] = ..., trace_bytes: _Optional[int] = ...) -> None: ...

class TraceResponse(_message.Message):
    __slots__ = ("trace", "lost")
    TRACE_FIELD_NUMBER: _ClassVar[int]
    LOST_FIELD_NUMBER: _ClassVar[int]
    trace: PacketTrace
    lost: int
    def __init__(self, trace: _Optional[_Union[PacketTrace, _Mapping[str, _Any]]] = ..., lost: _Optional[int] = ...) -> None: ...

class PacketTrace(_message.Message):
    __slots__ = ("input", "root", "omitted_events")
    INPUT_FIELD_NUMBER: _ClassVar[int]
    ROOT_FIELD_NUMBER: _ClassVar[int]
    OMITTED_EVENTS_FIELD_NUMBER: _ClassVar[int]
    input: InputPacket
    root: TraceTree
    omitted_events: int
    def __init__(self, input: _Optional[_Union[InputPacket, _Mapping[str, _Any]]] = ..., root: _Optional[_Union[TraceTree, _Mapping[str, _Any]]] = ..., omitted_events: _Optional[int] = ...) -> None: ...

class InputPacket(_message.Message):
    __slots__ = ("packet_id", "ingress_port", "time_ns", "packet_bytes", "parent_packet_id", "copy_kind")
    PACKET_ID_FIELD_NUMBER: _ClassVar[int]
    INGRESS_PORT_FIELD_NUMBER: _ClassVar[int]
    TIME_NS_FIELD_NUMBER: _ClassVar[int]
    PACKET_BYTES_FIELD_NUMBER: _ClassVar[int]
    PARENT_PACKET_ID_FIELD_NUMBER: _ClassVar[int]
    COPY_KIND_FIELD_NUMBER: _ClassVar[int]
    packet_id: int
    ingress_port: int
    time_ns: int
    packet_bytes: int
    parent_packet_id: int
    copy_kind: CopyKind
    def __init__(self, packet_id: _Optional[int] = ..., ingress_port: _Optional[int] = ..., time_ns: _Optional[int] = ..., packet_bytes: _Optional[int] = ..., parent_packet_id: _Optional[int] = ..., copy_kind: _Optional[_Union[CopyKind, str]] = ...) -> None: ...

class TraceTree(_message.Message):
    __slots__ = ("events", "transmit", "drop")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    TRANSMIT_FIELD_NUMBER: _ClassVar[int]
    DROP_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[TraceEvent]
    transmit: Transmit
    drop: Drop
    def __init__(self, events: _Optional[_Iterable[_Union[TraceEvent, _Mapping[str, _Any]]]] = ..., transmit: _Optional[_Union[Transmit, _Mapping[str, _Any]]] = ..., drop: _Optional[_Union[Drop, _Mapping[str, _Any]]] = ...) -> None: ...

class TraceEvent(_message.Message):
    __slots__ = ("source", "pipeline_stage", "parser_state", "extract", "select", "parser_error", "table", "condition", "primitive", "copy", "queue", "checksum", "deparse", "action_call")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    PIPELINE_STAGE_FIELD_NUMBER: _ClassVar[int]
    PARSER_STATE_FIELD_NUMBER: _ClassVar[int]
    EXTRACT_FIELD_NUMBER: _ClassVar[int]
    SELECT_FIELD_NUMBER: _ClassVar[int]
    PARSER_ERROR_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    CONDITION_FIELD_NUMBER: _ClassVar[int]
    PRIMITIVE_FIELD_NUMBER: _ClassVar[int]
    COPY_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    CHECKSUM_FIELD_NUMBER: _ClassVar[int]
    DEPARSE_FIELD_NUMBER: _ClassVar[int]
    ACTION_CALL_FIELD_NUMBER: _ClassVar[int]
    source: Source
    pipeline_stage: PipelineStageEvent
    parser_state: ParserStateEvent
    extract: HeaderEvent
    select: SelectEvent
    parser_error: ParserErrorEvent
    table: TableEvent
    condition: ConditionEvent
    primitive: PrimitiveEvent
    copy: CopyEvent
    queue: QueueEvent
    checksum: ChecksumEvent
    deparse: DeparseEvent
    action_call: ActionCallEvent
    def __init__(self, source: _Optional[_Union[Source, _Mapping[str, _Any]]] = ..., pipeline_stage: _Optional[_Union[PipelineStageEvent, _Mapping[str, _Any]]] = ..., parser_state: _Optional[_Union[ParserStateEvent, _Mapping[str, _Any]]] = ..., extract: _Optional[_Union[HeaderEvent, _Mapping[str, _Any]]] = ..., select: _Optional[_Union[SelectEvent, _Mapping[str, _Any]]] = ..., parser_error: _Optional[_Union[ParserErrorEvent, _Mapping[str, _Any]]] = ..., table: _Optional[_Union[TableEvent, _Mapping[str, _Any]]] = ..., condition: _Optional[_Union[ConditionEvent, _Mapping[str, _Any]]] = ..., primitive: _Optional[_Union[PrimitiveEvent, _Mapping[str, _Any]]] = ..., copy: _Optional[_Union[CopyEvent, _Mapping[str, _Any]]] = ..., queue: _Optional[_Union[QueueEvent, _Mapping[str, _Any]]] = ..., checksum: _Optional[_Union[ChecksumEvent, _Mapping[str, _Any]]] = ..., deparse: _Optional[_Union[DeparseEvent, _Mapping[str, _Any]]] = ..., action_call: _Optional[_Union[ActionCallEvent, _Mapping[str, _Any]]] = ...) -> None: ...

class Source(_message.Message):
    __slots__ = ("file", "line", "column", "fragment")
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    FRAGMENT_FIELD_NUMBER: _ClassVar[int]
    file: str
    line: int
    column: int
    fragment: str
    def __init__(self, file: _Optional[str] = ..., line: _Optional[int] = ..., column: _Optional[int] = ..., fragment: _Optional[str] = ...) -> None: ...

class PipelineStageEvent(_message.Message):
    __slots__ = ("stage_name", "stage_kind", "direction")
    class StageKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        STAGE_KIND_UNSPECIFIED: _ClassVar[PipelineStageEvent.StageKind]
        PARSER: _ClassVar[PipelineStageEvent.StageKind]
        CONTROL: _ClassVar[PipelineStageEvent.StageKind]
        DEPARSER: _ClassVar[PipelineStageEvent.StageKind]
    STAGE_KIND_UNSPECIFIED: PipelineStageEvent.StageKind
    PARSER: PipelineStageEvent.StageKind
    CONTROL: PipelineStageEvent.StageKind
    DEPARSER: PipelineStageEvent.StageKind
    class Direction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        DIRECTION_UNSPECIFIED: _ClassVar[PipelineStageEvent.Direction]
        ENTER: _ClassVar[PipelineStageEvent.Direction]
        EXIT: _ClassVar[PipelineStageEvent.Direction]
    DIRECTION_UNSPECIFIED: PipelineStageEvent.Direction
    ENTER: PipelineStageEvent.Direction
    EXIT: PipelineStageEvent.Direction
    STAGE_NAME_FIELD_NUMBER: _ClassVar[int]
    STAGE_KIND_FIELD_NUMBER: _ClassVar[int]
    DIRECTION_FIELD_NUMBER: _ClassVar[int]
    stage_name: str
    stage_kind: PipelineStageEvent.StageKind
    direction: PipelineStageEvent.Direction
    def __init__(self, stage_name: _Optional[str] = ..., stage_kind: _Optional[_Union[PipelineStageEvent.StageKind, str]] = ..., direction: _Optional[_Union[PipelineStageEvent.Direction, str]] = ...) -> None: ...

class Transmit(_message.Message):
    __slots__ = ("egress_port", "packet_size", "time_ns")
    EGRESS_PORT_FIELD_NUMBER: _ClassVar[int]
    PACKET_SIZE_FIELD_NUMBER: _ClassVar[int]
    TIME_NS_FIELD_NUMBER: _ClassVar[int]
    egress_port: int
    packet_size: int
    time_ns: int
    def __init__(self, egress_port: _Optional[int] = ..., packet_size: _Optional[int] = ..., time_ns: _Optional[int] = ...) -> None: ...

class Drop(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class FieldValue(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class FieldChange(_message.Message):
    __slots__ = ("name", "before", "after")
    NAME_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    name: str
    before: str
    after: str
    def __init__(self, name: _Optional[str] = ..., before: _Optional[str] = ..., after: _Optional[str] = ...) -> None: ...

class ParserStateEvent(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class HeaderEvent(_message.Message):
    __slots__ = ("name", "fields")
    NAME_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    name: str
    fields: _containers.RepeatedCompositeFieldContainer[FieldValue]
    def __init__(self, name: _Optional[str] = ..., fields: _Optional[_Iterable[_Union[FieldValue, _Mapping[str, _Any]]]] = ...) -> None: ...

class SelectEvent(_message.Message):
    __slots__ = ("key", "next_state")
    KEY_FIELD_NUMBER: _ClassVar[int]
    NEXT_STATE_FIELD_NUMBER: _ClassVar[int]
    key: str
    next_state: str
    def __init__(self, key: _Optional[str] = ..., next_state: _Optional[str] = ...) -> None: ...

class ParserErrorEvent(_message.Message):
    __slots__ = ("error",)
    ERROR_FIELD_NUMBER: _ClassVar[int]
    error: str
    def __init__(self, error: _Optional[str] = ...) -> None: ...

class TableEvent(_message.Message):
    __slots__ = ("table", "key", "hit", "entry", "action", "parameters", "counter", "meter")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    HIT_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    COUNTER_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    table: str
    key: _containers.RepeatedCompositeFieldContainer[KeyFieldValue]
    hit: bool
    entry: EntryMatch
    action: str
    parameters: _containers.RepeatedCompositeFieldContainer[FieldValue]
    counter: CounterReading
    meter: FieldChange
    def __init__(self, table: _Optional[str] = ..., key: _Optional[_Iterable[_Union[KeyFieldValue, _Mapping[str, _Any]]]] = ..., hit: bool = ..., entry: _Optional[_Union[EntryMatch, _Mapping[str, _Any]]] = ..., action: _Optional[str] = ..., parameters: _Optional[_Iterable[_Union[FieldValue, _Mapping[str, _Any]]]] = ..., counter: _Optional[_Union[CounterReading, _Mapping[str, _Any]]] = ..., meter: _Optional[_Union[FieldChange, _Mapping[str, _Any]]] = ...) -> None: ...

class KeyFieldValue(_message.Message):
    __slots__ = ("name", "match_kind", "value", "row")
    NAME_FIELD_NUMBER: _ClassVar[int]
    MATCH_KIND_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    ROW_FIELD_NUMBER: _ClassVar[int]
    name: str
    match_kind: str
    value: str
    row: str
    def __init__(self, name: _Optional[str] = ..., match_kind: _Optional[str] = ..., value: _Optional[str] = ..., row: _Optional[str] = ...) -> None: ...

class EntryMatch(_message.Message):
    __slots__ = ("handle", "priority", "member", "group")
    HANDLE_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    handle: int
    priority: int
    member: int
    group: int
    def __init__(self, handle: _Optional[int] = ..., priority: _Optional[int] = ..., member: _Optional[int] = ..., group: _Optional[int] = ...) -> None: ...

class ConditionEvent(_message.Message):
    __slots__ = ("name", "outcome", "operands")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    OPERANDS_FIELD_NUMBER: _ClassVar[int]
    name: str
    outcome: bool
    operands: _containers.RepeatedCompositeFieldContainer[FieldValue]
    def __init__(self, name: _Optional[str] = ..., outcome: bool = ..., operands: _Optional[_Iterable[_Union[FieldValue, _Mapping[str, _Any]]]] = ...) -> None: ...

class PrimitiveEvent(_message.Message):
    __slots__ = ("name", "changes", "operands", "headers", "array", "range", "calculation")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    OPERANDS_FIELD_NUMBER: _ClassVar[int]
    HEADERS_FIELD_NUMBER: _ClassVar[int]
    ARRAY_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    CALCULATION_FIELD_NUMBER: _ClassVar[int]
    name: str
    changes: _containers.RepeatedCompositeFieldContainer[FieldChange]
    operands: _containers.RepeatedCompositeFieldContainer[FieldValue]
    headers: _containers.RepeatedScalarFieldContainer[str]
    array: ArrayAccess
    range: NumberRange
    calculation: str
    def __init__(self, name: _Optional[str] = ..., changes: _Optional[_Iterable[_Union[FieldChange, _Mapping[str, _Any]]]] = ..., operands: _Optional[_Iterable[_Union[FieldValue, _Mapping[str, _Any]]]] = ..., headers: _Optional[_Iterable[str]] = ..., array: _Optional[_Union[ArrayAccess, _Mapping[str, _Any]]] = ..., range: _Optional[_Union[NumberRange, _Mapping[str, _Any]]] = ..., calculation: _Optional[str] = ...) -> None: ...

class ArrayAccess(_message.Message):
    __slots__ = ("name", "index", "out_of_range", "before", "after", "counter")
    NAME_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    OUT_OF_RANGE_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    COUNTER_FIELD_NUMBER: _ClassVar[int]
    name: str
    index: int
    out_of_range: bool
    before: str
    after: str
    counter: CounterReading
    def __init__(self, name: _Optional[str] = ..., index: _Optional[int] = ..., out_of_range: bool = ..., before: _Optional[str] = ..., after: _Optional[str] = ..., counter: _Optional[_Union[CounterReading, _Mapping[str, _Any]]] = ...) -> None: ...

class CounterReading(_message.Message):
    __slots__ = ("packets", "bytes")
    PACKETS_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    packets: int
    bytes: int
    def __init__(self, packets: _Optional[int] = ..., bytes: _Optional[int] = ...) -> None: ...

class NumberRange(_message.Message):
    __slots__ = ("low", "high")
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    low: int
    high: int
    def __init__(self, low: _Optional[int] = ..., high: _Optional[int] = ...) -> None: ...

class CopyEvent(_message.Message):
    __slots__ = ("kind", "packet_id", "target", "field_list")
    KIND_FIELD_NUMBER: _ClassVar[int]
    PACKET_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    FIELD_LIST_FIELD_NUMBER: _ClassVar[int]
    kind: CopyKind
    packet_id: int
    target: int
    field_list: int
    def __init__(self, kind: _Optional[_Union[CopyKind, str]] = ..., packet_id: _Optional[int] = ..., target: _Optional[int] = ..., field_list: _Optional[int] = ...) -> None: ...

class QueueEvent(_message.Message):
    __slots__ = ("port", "queue", "enqueue_time_ns", "enqueue_depth_pkts", "enqueue_depth_bytes", "dequeue_time_ns", "dequeue_depth_pkts", "dequeue_depth_bytes")
    PORT_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    ENQUEUE_TIME_NS_FIELD_NUMBER: _ClassVar[int]
    ENQUEUE_DEPTH_PKTS_FIELD_NUMBER: _ClassVar[int]
    ENQUEUE_DEPTH_BYTES_FIELD_NUMBER: _ClassVar[int]
    DEQUEUE_TIME_NS_FIELD_NUMBER: _ClassVar[int]
    DEQUEUE_DEPTH_PKTS_FIELD_NUMBER: _ClassVar[int]
    DEQUEUE_DEPTH_BYTES_FIELD_NUMBER: _ClassVar[int]
    port: int
    queue: int
    enqueue_time_ns: int
    enqueue_depth_pkts: int
    enqueue_depth_bytes: int
    dequeue_time_ns: int
    dequeue_depth_pkts: int
    dequeue_depth_bytes: int
    def __init__(self, port: _Optional[int] = ..., queue: _Optional[int] = ..., enqueue_time_ns: _Optional[int] = ..., enqueue_depth_pkts: _Optional[int] = ..., enqueue_depth_bytes: _Optional[int] = ..., dequeue_time_ns: _Optional[int] = ..., dequeue_depth_pkts: _Optional[int] = ..., dequeue_depth_bytes: _Optional[int] = ...) -> None: ...

class ChecksumEvent(_message.Message):
    __slots__ = ("name", "right")
    NAME_FIELD_NUMBER: _ClassVar[int]
    RIGHT_FIELD_NUMBER: _ClassVar[int]
    name: str
    right: bool
    def __init__(self, name: _Optional[str] = ..., right: bool = ...) -> None: ...

class DeparseEvent(_message.Message):
    __slots__ = ("headers", "payload_bytes", "checksums")
    HEADERS_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_BYTES_FIELD_NUMBER: _ClassVar[int]
    CHECKSUMS_FIELD_NUMBER: _ClassVar[int]
    headers: _containers.RepeatedScalarFieldContainer[str]
    payload_bytes: int
    checksums: _containers.RepeatedCompositeFieldContainer[FieldChange]
    def __init__(self, headers: _Optional[_Iterable[str]] = ..., payload_bytes: _Optional[int] = ..., checksums: _Optional[_Iterable[_Union[FieldChange, _Mapping[str, _Any]]]] = ...) -> None: ...

class ActionCallEvent(_message.Message):
    __slots__ = ("action",)
    ACTION_FIELD_NUMBER: _ClassVar[int]
    action: str
    def __init__(self, action: _Optional[str] = ...) -> None: ...
