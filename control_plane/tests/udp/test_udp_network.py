# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""UDP between real hosts: what a source quench does to a flow, and what a forged one does not."""

import json
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from lab import QUENCH, inside, wait_until
from quench.udp import AimdSettings, FlowReport, Receiver, Sender, SenderReport, SenderSettings, UdpError
from udp_lab import BOTTLENECK_BPS, RECEIVER, SENDER, UdpLab, Wire, udp_lab
from udp_quotes import FORGERIES, about, guess

pytestmark = pytest.mark.netns

PORT = 9009
RATE_BPS = 800_000
ONE_DECREASE = AimdSettings(ceiling_bps=RATE_BPS, interval_s=3600)
"""An interval that outlasts the test: after the first source quench the rate stays where it is."""


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    with Wire() as made:
        yield made


@contextmanager
def sending(wire: Wire, settings: SenderSettings) -> Iterator[Sender]:
    with inside(wire.name):
        sender = Sender(RECEIVER, PORT, settings)
    thread = threading.Thread(target=sender.run)
    thread.start()
    try:
        yield sender
    finally:
        sender.stop()
        thread.join()
        sender.close()


def test_packets_are_as_they_were_asked_for(wire: Wire) -> None:
    settings = SenderSettings(rate_bps=RATE_BPS, packet_bytes=300, dscp=46, ect=True)
    with sending(wire, settings) as sender:
        frame = wire.next_packet()
        while frame[34:36] != sender.endpoints.source_port.to_bytes(2, "big"):
            frame = wire.next_packet()
    assert len(frame) == 14 + 300
    assert frame[15] == 46 << 2 | 0b10
    assert frame[26:34] == bytes([10, 0, 1, 1, 10, 0, 2, 2])
    assert frame[18:20] != b"\0\0"


@pytest.mark.parametrize("marked", [True, False])
def test_a_source_quench_halves_the_rate_and_another_in_the_interval_does_not(wire: Wire, marked: bool) -> None:
    with sending(wire, SenderSettings(rate_bps=RATE_BPS, aimd=ONE_DECREASE)) as sender:
        for count in (1, 2):
            frame = packet_of(wire, sender)
            wire.answer(frame, about(frame[14:], marked=marked))
            wait_until(lambda count=count: sum(sender.report().quenches.values()) == count)
            assert sender.rate_bps == RATE_BPS / 2
        report = sender.report()
    assert (report.quenches["marked"], report.quenches["dropped"]) == ((2, 0) if marked else (0, 2))
    assert (report.decreases, report.lowest_bps, report.refused) == (1, RATE_BPS / 2, {})


def packet_of(wire: Wire, sender: Sender) -> bytes:
    """The frame of a packet that the sender sends from now on."""
    sent = sender.report().sent_pkts
    while True:
        frame = wire.next_packet()
        ours = frame[34:36] == sender.endpoints.source_port.to_bytes(2, "big")
        if ours and int.from_bytes(frame[58:66], "big") >= sent:
            return frame


def test_forged_source_quenches_are_counted_and_change_nothing(wire: Wire) -> None:
    with sending(wire, SenderSettings(rate_bps=RATE_BPS, aimd=ONE_DECREASE)) as sender:
        frame = packet_of(wire, sender)
        true = about(frame[14:])
        for _, forge in FORGERIES.values():
            wire.answer(frame, forge(true))
        expected = Counter(reason.value for reason, _ in FORGERIES.values())
        wait_until(lambda: sum(sender.report().refused.values()) == len(FORGERIES))
        report = sender.report()
        assert report.refused == expected
        assert (report.rate_bps, report.decreases, sum(report.quenches.values())) == (RATE_BPS, 0, 0)
        wire.answer(frame, true)
        wait_until(lambda: sender.report().decreases == 1)


def test_ten_thousand_guesses_do_not_slow_a_flow(wire: Wire) -> None:
    """The ports are right, the identification and the checksum are guessed.

    About 50 packets can be quoted at a time, so the chance that one guess of all hits is 10000 * 50 / 2^32, or 0.01 %.
    """
    settings = SenderSettings(rate_bps=RATE_BPS, aimd=ONE_DECREASE, quotable_s=0.5)
    with sending(wire, settings) as sender:
        frame = packet_of(wire, sender)
        true = about(frame[14:])
        for start in range(0, 10_000, 200):
            for number in range(start, start + 200):
                wire.answer(frame, guess(true, number))
            wait_until(lambda start=start: sender.report().refused.get("not_in_flight", 0) == start + 200)
        report = sender.report()
    assert (report.rate_bps, report.decreases, sum(report.quenches.values())) == (RATE_BPS, 0, 0)
    assert report.sent_pkts > 0


def test_source_quenches_can_be_ignored_and_are_counted_then(wire: Wire) -> None:
    with sending(wire, SenderSettings(rate_bps=RATE_BPS, obey=False)) as sender:
        frame = packet_of(wire, sender)
        wire.answer(frame, about(frame[14:]))
        wait_until(lambda: sender.report().quenches["marked"] == 1)
        assert (sender.rate_bps, sender.report().decreases) == (RATE_BPS, 0)


def test_what_cannot_be_sent_or_received_is_one_line(wire: Wire) -> None:
    with inside(wire.name):
        with (
            Sender(RECEIVER, PORT, SenderSettings(packet_bytes=2000)) as sender,
            pytest.raises(UdpError, match=r"a packet of 2000 bytes is longer than the path to 10\.0\.2\.2:9009 allows"),
        ):
            sender.run(1)
        with pytest.raises(UdpError, match=r"cannot send to nowhere\.invalid:9009"):
            Sender("nowhere.invalid", PORT)
        with Receiver(0) as receiver, pytest.raises(UdpError, match=f"cannot receive on 0.0.0.0:{receiver.port}: "):
            Receiver(receiver.port)


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UdpLab]:
    with udp_lab(tmp_path_factory.mktemp("udp")) as made:
        made.start_switch()
        made.start_controller()
        wait_until(made.connected, 60)
        yield made


def transfer(
    network: UdpLab, settings: SenderSettings, seconds: float, warm_up_s: float
) -> tuple[SenderReport, FlowReport]:
    """One flow through the switch, from host to host."""
    with inside(network.host(2)):
        receiver = Receiver(PORT, warm_up_s=warm_up_s)
    with inside(network.host(1)):
        sender = Sender(RECEIVER, PORT, settings)
    with receiver, sender:
        thread = threading.Thread(target=receiver.run, kwargs={"seconds": seconds + 60, "idle_s": 2.0})
        thread.start()
        sent = sender.run(seconds)
        thread.join()
        (flow,) = receiver.report()
        assert receiver.overrun_pkts == 0
    return sent, flow


def test_a_flow_that_obeys_settles_near_the_bottleneck_with_little_loss(network: UdpLab) -> None:
    """BECN serves any transport: twice the bottleneck's rate at the start, and nobody answers but the switch."""
    start_bps = 2 * BOTTLENECK_BPS
    aimd = AimdSettings(ceiling_bps=start_bps, interval_s=0.1, increase_bps=40_000, decrease=0.25)
    settings = SenderSettings(rate_bps=start_bps, ect=True, aimd=aimd)
    sent, flow = transfer(network, settings, seconds=12, warm_up_s=4)
    assert flow.source.startswith(SENDER)
    assert sent.quenches["marked"] > 0
    assert sent.decreases >= 3
    assert sum(sent.refused.values()) == 0
    assert 0.7 * BOTTLENECK_BPS < flow.goodput_bps < BOTTLENECK_BPS
    assert flow.loss < 0.01
    # BECN's quenches come with the mark, so the receiver counts as many.
    assert flow.ce_pkts > 0


def test_a_flow_that_ignores_source_quenches_loses_half(network: UdpLab) -> None:
    settings = SenderSettings(rate_bps=2 * BOTTLENECK_BPS, ect=True, obey=False)
    sent, flow = transfer(network, settings, seconds=8, warm_up_s=3)
    assert sent.quenches["dropped"] > 0
    assert sent.rate_bps == 2 * BOTTLENECK_BPS
    assert flow.loss == pytest.approx(0.5, abs=0.1)
    assert flow.goodput_bps == pytest.approx(BOTTLENECK_BPS, rel=0.1)


def test_the_command_line(network: UdpLab) -> None:
    def command(port: int, *arguments: str) -> "subprocess.Popen[str]":
        words = ["ip", "netns", "exec", network.host(port), QUENCH, *arguments]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def listening() -> bool:
        sockets = subprocess.run(
            ["ip", "netns", "exec", network.host(2), "cat", "/proc/net/udp"], check=True, capture_output=True, text=True
        )
        return f":{PORT:04X} " in sockets.stdout

    receiving = command(2, "receive-udp", "--idle", "2s", "--json")
    try:
        wait_until(listening)
        voice = ["--on-off", "300ms:200ms", "--seed", "3", "--dscp", "46", "--seconds", "3", "--json"]
        sending = command(1, "send-udp", f"{RECEIVER}:{PORT}", *voice)
        sent_text, errors = sending.communicate(timeout=60)
        assert (sending.returncode, errors) == (0, "")
        received_text, errors = receiving.communicate(timeout=60)
        assert (receiving.returncode, errors) == (0, "")
    finally:
        receiving.kill()
    sent, received = json.loads(sent_text), json.loads(received_text)
    (flow,) = received["flows"]
    assert 0 < sent["sent_pkts"] <= 151
    assert (flow["received_pkts"], flow["lost_pkts"]) == (sent["sent_pkts"], 0)
    assert flow["flow"] == sent["flow"]
    done = command(1, "send-udp", RECEIVER)
    _, errors = done.communicate(timeout=60)
    assert (done.returncode, errors) == (1, "quench: '10.0.2.2' is not ADDRESS:PORT, such as 10.0.2.2:9009\n")
