# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import threading
import time

import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import p4r

TIMEOUT_S = 30.0
CPU = b"\x01\xfe"
FRAME = bytes.fromhex("0200000000010200000000021234") + bytes(46)


def packet_out(*metadata, payload=FRAME):
    packet = p4r.PacketOut(payload=payload)
    for metadata_id, value in metadata:
        packet.metadata.add(metadata_id=metadata_id, value=value)
    return p4r.StreamMessageRequest(packet=packet)


@pytest.fixture
def stream(client, config):
    """The stream of the primary, with the program running."""
    stream = client.become_primary()
    client.set_config(config)
    return stream


def test_a_packet_out_to_the_cpu_port_comes_back_with_its_metadata(stream):
    stream.send(packet_out((1, CPU)))
    packet = stream.receive("packet")
    assert packet.payload == FRAME
    assert [(item.metadata_id, item.value) for item in packet.metadata] == [(1, CPU), (2, b"\0"), (3, b"\0")]


def test_padding_may_be_given_or_left_out(stream):
    stream.send(packet_out((2, b"\0"), (1, CPU)))
    assert stream.receive("packet").payload == FRAME


@pytest.mark.parametrize(
    "request_",
    [
        packet_out(),
        packet_out((1, CPU), (9, b"\1")),
        packet_out((1, CPU), (1, CPU)),
        packet_out((1, b"")),
        packet_out((1, b"\2\0")),
    ],
    ids=["missing", "unknown", "twice", "empty", "wide"],
)
def test_a_bad_packet_out_is_answered_with_an_error_that_quotes_it(stream, request_):
    stream.send(request_)
    error = stream.receive("error")
    assert error.canonical_code == Code.INVALID_ARGUMENT
    assert error.packet_out.packet_out == request_.packet
    assert error.message
    stream.send(packet_out((1, CPU)))
    assert stream.receive("packet").payload == FRAME


@pytest.mark.parametrize(
    ("length", "code"), [(70_000, Code.INVALID_ARGUMENT), (200_000, Code.RESOURCE_EXHAUSTED)], ids=["long", "longer"]
)
def test_an_error_does_not_quote_a_long_packet_whole(stream, length, code):
    stream.send(packet_out((1, CPU), payload=bytes(length)))
    error = stream.receive("error")
    assert error.canonical_code == code
    assert error.ByteSize() < 2000
    assert error.HasField("packet_out") == (code == Code.INVALID_ARGUMENT)
    stream.send(packet_out((1, CPU)))
    assert stream.receive("packet").payload == FRAME


def test_only_the_primary_may_send_packets(client, stream):
    backup = client.stream()
    backup.send(packet_out((1, CPU)))
    assert backup.receive("error").canonical_code == Code.PERMISSION_DENIED
    backup.arbitrate(0)
    backup.receive("arbitration")
    backup.send(packet_out((1, CPU)))
    assert backup.receive("error").canonical_code == Code.PERMISSION_DENIED
    assert stream.is_silent()


def test_packets_go_to_the_primary_of_every_role(client, stream):
    other = client.stream()
    other.arbitrate(1, role="other")
    other.receive("arbitration")
    stream.send(packet_out((1, CPU)))
    assert stream.receive("packet") == other.receive("packet")


def test_an_empty_or_unknown_stream_message_is_answered_with_an_error(stream):
    stream.send(p4r.StreamMessageRequest())
    assert stream.receive("error").canonical_code == Code.UNIMPLEMENTED
    other = p4r.StreamMessageRequest()
    other.other.type_url = "type.googleapis.com/none.such"
    stream.send(other)
    error = stream.receive("error")
    assert error.canonical_code == Code.UNIMPLEMENTED
    assert error.other.other == other.other


def test_an_acknowledgement_of_no_digest_is_an_error(stream, names):
    stream.send(p4r.StreamMessageRequest(digest_ack=p4r.DigestListAck(digest_id=99, list_id=1)))
    error = stream.receive("error")
    assert error.canonical_code == Code.INVALID_ARGUMENT
    assert error.digest_list_ack.digest_list_ack.digest_id == 99
    stream.send(p4r.StreamMessageRequest(digest_ack=p4r.DigestListAck(digest_id=names.id("learned_t"), list_id=1)))
    assert stream.is_silent()


def test_a_packet_out_needs_a_program(client):
    stream = client.become_primary()
    stream.send(packet_out((1, CPU)))
    assert stream.receive("error").canonical_code == Code.FAILED_PRECONDITION


def test_a_burst_of_packets_arrives_whole_and_in_order(stream):
    count = 2000
    for number in range(count):
        stream.send(packet_out((1, CPU), payload=FRAME + number.to_bytes(4, "big")))
    numbers = [int.from_bytes(stream.receive("packet").payload[-4:], "big") for _ in range(count)]
    assert numbers == list(range(count))


def test_counts_of_stream_messages(server, stream):
    stream.send(packet_out((1, CPU)))
    stream.receive("packet")
    stream.send(packet_out())
    stream.receive("error")
    counts = server.p4runtime.counts
    assert (counts["packet_outs"], counts["packet_outs_refused"], counts["packet_ins"]) == (1, 1, 1)


def test_packets_without_a_controller_are_counted(server, stream):
    stream.send(packet_out((1, CPU)))
    stream.receive("packet")
    stream.close()
    deadline = time.monotonic() + 30
    while not server.p4runtime.counts["packet_ins_without_controller"]:
        # The switch notices the end of the stream in its own time; packets before that are still the controller's.
        server.switch.packet_out(b"\xff\x00" + FRAME)
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_small_messages_wait_for_a_switch_that_is_busy(server, client):
    """HTTP/2's implementation takes many small frames that nobody reads for an attack, unless its window is large."""
    stream = client.stream()
    stream.arbitrate(1)
    assert stream.receive("arbitration")
    released = threading.Event()
    server.loop.call_soon_threadsafe(released.wait, TIMEOUT_S)
    count = 10_000
    for _ in range(count):
        stream.send(p4r.StreamMessageRequest(digest_ack=p4r.DigestListAck(digest_id=1, list_id=1)))
    # Some messages wait for the switch to read.
    time.sleep(0.5)
    released.set()
    stream.send(p4r.StreamMessageRequest(arbitration=p4r.MasterArbitrationUpdate(device_id=1)))
    assert stream.receive("arbitration", after="error")
