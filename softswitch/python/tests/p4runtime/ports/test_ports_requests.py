# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench.port.v1.Ports`` against requests and answers of any form: no request is INTERNAL, no answer a traceback."""

import itertools
import math
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from finsy import GRPCStatusCode as Code
from google.protobuf import struct_pb2
from quench_switch.ports import _OPTIONS, SERVICE
from quench_switch.ports_client import PortsClient, PortsError

TIMEOUT_S = 15.0
METHODS = ("Set", "Get", "ResetStats", "Stats", "Primary")
NAMES = ("port", *_OPTIONS, "device_id", "role", "election_id", "x\0y", "é" * 300)
NUMBERS = (math.nan, math.inf, -math.inf, -1, 0.5, 2**31, 2**32, 2**53 - 1, 2**53, 2**63, 1e308, 5e-324, -0.0)
VALUES = (
    *NUMBERS,
    None,
    "",
    "x",
    "9" * 5000,
    True,
    [],
    [1.0] * 1000,
    {},
    *({"0": number} for number in (*NUMBERS, "x", None)),
    *({name: 1} for name in ("8", "-1", "x", "", "9" * 5000, "4294967296")),
)


def value(given):
    made = struct_pb2.Value()
    match given:
        case None:
            made.null_value = struct_pb2.NULL_VALUE
        case bool():
            made.bool_value = given
        case int() | float():
            made.number_value = given
        case str():
            made.string_value = given
        case list():
            made.list_value.values.extend(map(value, given))
        case dict():
            made.struct_value.SetInParent()
            for name, item in given.items():
                made.struct_value.fields[name].CopyFrom(value(item))
    return made


def test_no_request_is_an_internal_error(server):
    answers = {}
    with grpc.insecure_channel(server.address) as channel:
        for method, name, given in itertools.product(METHODS, NAMES, VALUES):
            call = channel.unary_unary(f"/{SERVICE}/{method}", request_serializer=bytes)
            request = value({"port": 1, name: given} if method in ("Set", "Get") else {name: given}).struct_value
            try:
                call(request.SerializeToString(), timeout=TIMEOUT_S)
                code = Code.OK
            except grpc.RpcError as error:
                code = Code.from_status_code(error.code())
            answers.setdefault(code, []).append((method, name, given))
    assert set(answers) <= {Code.OK, Code.INVALID_ARGUMENT, Code.OUT_OF_RANGE, Code.NOT_FOUND, Code.PERMISSION_DENIED}
    assert len(answers[Code.INVALID_ARGUMENT]) > len(answers[Code.OK]) > 0


ANSWERS = {
    "nothing": {},
    "no list": {"ports": 1},
    "no ports": {"ports": []},
    "many": {"ports": [{"port": 1}, {"port": 2}]},
    "numbers": {"ports": [1]},
    "queues": {"ports": [{"weights": {"x" * 5000: 1}}]},
    "infinite": {"ports": [{"port": math.inf}]},
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_any_answer_is_one_line(kind):
    answer = value(ANSWERS[kind]).struct_value.SerializeToString()
    methods = {name: grpc.unary_unary_rpc_method_handler(lambda *_: answer) for name in ("Get", "Set", "Stats")}
    methods["Primary"] = grpc.unary_unary_rpc_method_handler(lambda *_: b"")
    server = grpc.server(ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, methods),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with PortsClient(f"127.0.0.1:{port}") as client:
            for call in (lambda: client.get(1), lambda: client.set(1, hold=True)):
                with pytest.raises(PortsError, match="is no answer to"):
                    call()
    finally:
        server.stop(0)
