# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Traces of hostile programs, of long packets and of hostile servers; captures and traces with wrong bytes."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
from click.testing import Result
from google.protobuf import text_format
from google.protobuf.message import DecodeError
from hypothesis import example, given, settings
from hypothesis import strategies as st
from quench_switch import compile_p4
from quench_switch._native import read_pcap
from quench_switch.trace import packet_trace_pb2 as pb
from quench_switch.trace.cli import app
from quench_switch.trace.service import METHOD, SERVICE
from quench_switch.trace.tree import NESTED_COPIES, show, trees
from typer.testing import CliRunner

LOOPS = Path(__file__).parent / "programs" / "loops.p4"
TIMEOUT_S = 20.0
TRACE_BYTES = 64 << 10
ONCE_MORE, RESUBMIT, CLONE = range(3)


def packet(kind: int, size_bytes: int = 64) -> bytes:
    return (bytes([kind]) + bytes(size_bytes))[:size_bytes]


CaptureOf = Callable[[Path, Sequence[bytes]], Path]
TraceOf = Callable[[Sequence[bytes]], Result]


@pytest.fixture
def trace_of(tmp_path: Path, capture_of: CaptureOf) -> TraceOf:
    def run(packets: Sequence[bytes]) -> Result:
        entries = tmp_path / "sessions.stf"
        entries.write_text("mirroring_add 5 2\n")
        capture = capture_of(tmp_path / "packets.pcap", packets)
        return CliRunner().invoke(app, [str(LOOPS), str(capture), "--entries", str(entries)])

    return run


@pytest.mark.parametrize("kind", [ONCE_MORE, RESUBMIT])
def test_a_packet_that_goes_round_ends_and_its_trace_is_limited(trace_of: TraceOf, kind: int) -> None:
    result = trace_of([packet(kind)])
    assert result.exit_code == 0
    assert "dropped: it was cloned, resubmitted or recirculated too often" in result.stdout
    assert "events had no room" in result.stdout
    assert len(result.stdout) < 4 * TRACE_BYTES


def test_clones_of_clones_end_and_are_not_indented_without_end(trace_of: TraceOf) -> None:
    result = trace_of([packet(CLONE)])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert sum("clone in egress by session 5" in line for line in lines) > 100
    deepest = max(len(line) - len(line.lstrip("│ ├─└")) for line in lines)
    assert deepest <= 4 * 3 * (NESTED_COPIES + 1)


def test_long_packets_are_traced(trace_of: TraceOf) -> None:
    sizes_bytes = (65_535, 65_536, 1, 0)
    result = trace_of([packet(ONCE_MORE, size) for size in sizes_bytes])
    assert result.exit_code == 0
    for size_bytes in sizes_bytes:
        assert f", {size_bytes} bytes" in result.stdout


@asynccontextmanager
async def hostile(answers: Sequence[bytes]) -> AsyncIterator[str]:
    """A server that answers each call for traces with these bytes."""

    async def trace(_request: bytes, _context: object) -> AsyncIterator[bytes]:
        for answer in answers:
            yield answer

    server = grpc.aio.server()
    handlers = {METHOD: grpc.unary_stream_rpc_method_handler(trace)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield f"127.0.0.1:{port}"
    await server.stop(0)


async def answer_to(answers: Sequence[bytes], *words: str) -> Result:
    async with hostile(answers) as address, asyncio.timeout(TIMEOUT_S):
        return await asyncio.to_thread(CliRunner().invoke, app, ["--address", address, *words])


def answer(trace: pb.PacketTrace, lost: int = 0) -> bytes:
    return pb.TraceResponse(trace=trace, lost=lost).SerializeToString()


@pytest.mark.parametrize("data", [b"\xff\xff\xff", b"\x0a\x7fx", bytes(2 << 20)], ids=["tag", "length", "long"])
async def test_an_answer_that_is_none_is_one_line(data: bytes) -> None:
    result = await answer_to([data])
    assert result.exit_code == 1
    assert result.stderr.startswith("quench trace: 127.0.0.1:")
    assert result.stderr.count("\n") == 1


async def test_what_a_server_sends_reaches_no_terminal_as_it_stands() -> None:
    escape = "\x1b[2J\n\u202e[bold]"
    trace = pb.PacketTrace(input=pb.InputPacket(packet_id=1), root=pb.TraceTree(drop=pb.Drop(reason=escape)))
    field = pb.FieldValue(name=escape, value="0x" + 70_000 * "f")
    trace.root.events.add(extract=pb.HeaderEvent(name=escape, fields=[field, pb.FieldValue(name="a", value="0xno")]))
    trace.root.events.add(parser_state=pb.ParserStateEvent(name=escape))
    trace.root.events[-1].source.CopyFrom(pb.Source(file=escape, line=2**32 - 1, fragment=escape))
    for words in ((), ("--json",)):
        result = await answer_to([answer(trace, 7), answer(trace, 3)], *words)
        assert result.exit_code == 0
        assert "\x1b" not in result.stdout
        assert "\u202e" not in result.stdout
        assert result.stderr == "quench trace: 7 traces were lost\n"


def test_copies_that_name_each_other_are_each_drawn_once() -> None:
    def of(packet_id: int, parent: int) -> pb.PacketTrace:
        trace = pb.PacketTrace(input=pb.InputPacket(packet_id=packet_id, parent_packet_id=parent))
        trace.root.events.add(copy=pb.CopyEvent(kind=pb.CLONE_EGRESS, packet_id=parent))
        return trace

    assert len(list(trees([of(1, 2), of(2, 1), of(3, 3)]))) == 2


CAPTURE = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65_535, 1) + 2 * (
    struct.pack("<IIII", 1, 2, 6, 6) + b"packet"
)
PCAPNG = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_capture_with_wrong_bytes_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    changed = bytearray(CAPTURE[: data.draw(st.integers(0, len(CAPTURE)))])
    for _ in range(data.draw(st.integers(0, 4)) if changed else 0):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "wrong.pcap"
    path.write_bytes(changed)
    try:
        packets, is_cut = read_pcap(path, 1 << 20)
    except OSError:
        return
    assert 24 + sum(16 + len(packet) for _, packet, _ in packets) + is_cut <= len(changed)


@pytest.fixture
def loops(tmp_path: Path) -> Path:
    path = tmp_path / "loops.json"
    path.write_text(compile_p4(str(LOOPS)).json)
    return path


def traced(program: Path, capture: Path, *words: str) -> int:
    result = CliRunner().invoke(app, [str(program), str(capture), "--json", *words])
    assert result.exit_code == 0
    return len(result.stdout.splitlines())


def test_a_capture_that_is_cut_anywhere_is_traced_up_to_there(
    loops: Path, tmp_path: Path, capture_of: CaptureOf, caplog: pytest.LogCaptureFixture
) -> None:
    capture = capture_of(tmp_path / "cut.pcap", [packet(9), packet(9, 20)])
    content = capture.read_bytes()
    first, second = len(content) - 36, len(content)
    per_packet = traced(loops, capture) // 2
    assert caplog.messages == []
    for length in (first + 1, first + 15, first + 16, second - 1):
        capture.write_bytes(content[:length])
        caplog.clear()
        assert traced(loops, capture) == per_packet
        (message,) = caplog.messages
        assert message.startswith(f"{capture}: the file ends inside packet 2, and this packet is left out: ")
        caplog.clear()
        assert traced(loops, capture, "--packets", "1") == per_packet
        assert caplog.messages == []
    capture.write_bytes(content[:first])
    assert traced(loops, capture) == per_packet
    assert caplog.messages == []
    capture.write_bytes(content[:30])
    assert traced(loops, capture) == 0
    assert "inside packet 1" in caplog.text


def snapped(path: Path, captured: Sequence[tuple[int, int]]) -> Path:
    """Packets of captured and original lengths."""
    records = (struct.pack("<IIII", 1, 2, length, original) + packet(9, length) for length, original in captured)
    path.write_bytes(CAPTURE[:24] + b"".join(records))
    return path


def test_snapped_packets_are_named_in_one_line(loops: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    capture = snapped(tmp_path / "one.pcap", [(64, 64), (64, 1514), (64, 64)])
    assert traced(loops, capture, "--packets", "1") == 1
    assert caplog.messages == []
    assert traced(loops, capture) == 3
    (message,) = caplog.messages
    assert message.startswith(f"{capture}: packet 2 is cut short, 1450 of its 1514 bytes were not captured: ")
    caplog.clear()
    assert traced(loops, snapped(capture, [(64, 64)] + 500 * [(20, 2**32 - 1)]), "--packets", "400") == 400
    (message,) = caplog.messages
    assert ": packet 2 is cut short, 4294967275 of its 4294967295 bytes" in message
    assert "not captured (in all 399 packets are cut short): " in message


def test_a_pcapng_file_is_refused_with_the_command_that_converts_it(tmp_path: Path) -> None:
    capture = tmp_path / "x.pcapng"
    capture.write_bytes(PCAPNG)
    result = CliRunner().invoke(app, [str(LOOPS), str(capture)])
    assert result.exit_code == 1
    assert result.stderr.startswith(f"quench trace: {capture}: not a pcap file (editcap -F pcap makes one)")
    missing = CliRunner().invoke(app, [str(LOOPS), str(tmp_path / "none.pcap")])
    assert missing.stderr.startswith(f"quench trace: {tmp_path / 'none.pcap'}: No such file")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, capture_of: CaptureOf) -> bytes:
    """A trace of the switch's own, as bytes."""
    folder = tmp_path_factory.mktemp("whole")
    capture = capture_of(folder / "one.pcap", [packet(ONCE_MORE)])
    (folder / "out").mkdir()
    result = CliRunner().invoke(app, [str(LOOPS), str(capture), "--proto", str(folder / "out")])
    assert result.exit_code == 0
    trace = text_format.Parse((folder / "out" / "trace_1.txtpb").read_text(), pb.PacketTrace())
    del trace.root.events[40:]
    return trace.SerializeToString()


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1 << 16), st.integers(0, 255)), max_size=6))
@example([])
def test_a_trace_with_wrong_bytes_is_drawn_or_refused(whole: bytes, changes: list[tuple[int, int]]) -> None:
    changed = bytearray(whole)
    for place, value in changes:
        changed[place % len(changed)] = value
    try:
        trace = pb.PacketTrace.FromString(bytes(changed))
    except DecodeError:
        return
    assert len(list(trees([trace]))) == 1


def test_show_draws_nothing_of_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    show(trees([]))
    assert capsys.readouterr().out == ""
