# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The content of ``p4_device_config``: BMv2 JSON, bare or in the wrapper of older clients."""

from __future__ import annotations

from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory

from .errors import invalid


def _wrapper_class() -> type[message.Message]:
    """``p4.tmp.P4DeviceConfig`` of simple_switch_grpc's early clients; only ``device_data`` matters."""
    file = descriptor_pb2.FileDescriptorProto(
        name="quench/device_config.proto", package="quench.device_config", syntax="proto3"
    )
    wrapper = file.message_type.add(name="P4DeviceConfig")
    wrapper.field.add(
        name="reassign",
        number=1,
        type=descriptor_pb2.FieldDescriptorProto.TYPE_BOOL,
        label=descriptor_pb2.FieldDescriptorProto.LABEL_OPTIONAL,
    )
    wrapper.field.add(
        name="device_data",
        number=3,
        type=descriptor_pb2.FieldDescriptorProto.TYPE_BYTES,
        label=descriptor_pb2.FieldDescriptorProto.LABEL_OPTIONAL,
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("quench.device_config.P4DeviceConfig"))


_Wrapper = _wrapper_class()


def bmv2_json(device_config: bytes) -> str:
    """The JSON text in a device config. Raises INVALID_ARGUMENT if it holds none."""
    data = device_config
    if not data.lstrip().startswith(b"{"):
        try:
            data = getattr(_Wrapper.FromString(device_config), "device_data")  # noqa: B009
        except message.DecodeError as error:
            raise invalid("p4_device_config is neither BMv2 JSON nor a message that wraps it") from error
        if not data.lstrip().startswith(b"{"):
            raise invalid("p4_device_config is neither BMv2 JSON nor a message that wraps it")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise invalid(f"p4_device_config is not UTF-8: {error}") from error
