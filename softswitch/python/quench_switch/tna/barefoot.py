# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The messages in which P4Info of a Tofino program describes its externs: the package ``barefoot``, as p4c writes it.

protobuf reads no P4Info with such messages, as text, before it knows them: importing this declares them.
"""

from typing import Final

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto

from quench_switch.messages import p4t

PACKAGE: Final = "barefoot"
_SCALARS: Final = {
    "bool": FieldDescriptorProto.TYPE_BOOL,
    "int32": FieldDescriptorProto.TYPE_INT32,
    "int64": FieldDescriptorProto.TYPE_INT64,
    "uint32": FieldDescriptorProto.TYPE_UINT32,
    "string": FieldDescriptorProto.TYPE_STRING,
}
_ENUMS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "MeterSpec": {"Unit": ("UNSPECIFIED", "BYTES", "PACKETS"), "Type": ("COLOR_UNAWARE", "COLOR_AWARE")},
    "CounterSpec": {"Unit": ("UNSPECIFIED", "BYTES", "PACKETS", "PACKETS_AND_BYTES")},
    "Snapshot": {"Direction": ("DIRECTION_INGRESS", "DIRECTION_EGRESS")},
    "ParserChoices": {"Direction": ("DIRECTION_INGRESS", "DIRECTION_EGRESS")},
}
"""The names by the message in which they are; the values count from 0."""
_TYPE: Final = "p4.config.v1.P4DataTypeSpec type_spec"
_MESSAGES: Final[dict[str, tuple[str, ...]]] = {
    "MeterSpec": ("enum Unit unit", "enum Type type"),
    "CounterSpec": ("enum Unit unit",),
    "WredSpec": ("uint32 drop_value", "uint32 no_drop_value"),
    "HashField": ("string field_name", "bool is_constant"),
    "SnapshotField": ("uint32 id", "string name", "int32 bitwidth"),
    "ParserChoice": ("string arch_name", "string type_name", "string user_name"),
    "ActionProfile": ("repeated uint32 table_ids", "int64 size"),
    "ActionSelector": (
        "repeated uint32 table_ids",
        "uint32 hash_id",
        "int64 max_group_size",
        "int64 num_groups",
        "uint32 action_profile_id",
        "int64 adt_offset",
    ),
    "Counter": ("barefoot.CounterSpec spec", "int64 size"),
    "DirectCounter": ("barefoot.CounterSpec spec", "uint32 direct_table_id"),
    "Meter": ("barefoot.MeterSpec spec", "int64 size"),
    "DirectMeter": ("barefoot.MeterSpec spec", "uint32 direct_table_id"),
    "Wred": ("barefoot.WredSpec spec", "int64 size"),
    "DirectWred": ("barefoot.WredSpec spec", "uint32 direct_table_id"),
    "Lpf": ("int64 size",),
    "DirectLpf": ("uint32 direct_table_id",),
    "Register": (_TYPE, "int64 size", "string data_field_name"),
    "DirectRegister": (_TYPE, "string data_field_name"),
    "RegisterParam": (_TYPE, "uint32 table_id", "int64 initial_value", "string data_field_name"),
    "Digest": (_TYPE,),
    "DynHash": (_TYPE, "repeated barefoot.HashField field_infos", "int32 hash_width"),
    "PortMetadata": ("string key_name", _TYPE),
    "ValueSet": (_TYPE, "int32 size"),
    "Snapshot": ("string pipe", "enum Direction direction", "repeated barefoot.SnapshotField fields"),
    "ParserChoices": ("string pipe", "enum Direction direction", "repeated barefoot.ParserChoice choices"),
}
"""Fields as proto3 writes them; their numbers count from 1."""


def _declare() -> None:
    file = descriptor_pb2.FileDescriptorProto(
        name="quench/barefoot.proto",
        package=PACKAGE,
        syntax="proto3",
        dependency=[p4t.P4DataTypeSpec.DESCRIPTOR.file.name],
    )
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for enum, values in _ENUMS.get(name, {}).items():
            declared = message.enum_type.add(name=enum)
            for number, value in enumerate(values):
                declared.value.add(name=value, number=number)
        for number, text in enumerate(fields, 1):
            _add_field(message, number, text)
    descriptor_pool.Default().AddSerializedFile(file.SerializeToString())


def _add_field(message: DescriptorProto, number: int, text: str) -> None:
    *label, kind, name = text.split()
    field = message.field.add(name=name, number=number, label=FieldDescriptorProto.LABEL_OPTIONAL)
    if label == ["repeated"]:
        field.label = FieldDescriptorProto.LABEL_REPEATED
    if label == ["enum"]:
        field.type, field.type_name = FieldDescriptorProto.TYPE_ENUM, f".{PACKAGE}.{message.name}.{kind}"
    elif kind in _SCALARS:
        field.type = _SCALARS[kind]
    else:
        field.type, field.type_name = FieldDescriptorProto.TYPE_MESSAGE, f".{kind}"


_declare()
