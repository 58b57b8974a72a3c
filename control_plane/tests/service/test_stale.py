# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A controller that stood still: real processes, real interfaces."""

import os
import re
import signal
import time
from pathlib import Path

from lab import CONFIG, Lab, lab, wait_until
from test_isq import ICMP, ipv4

MACS = bytes.fromhex("000000000101 000000000102")
LIMIT_S = 1.0
FREEZE_S = 3.0
PACE_S = 0.02
FRESH_CONFIG = CONFIG.replace("max_age: 60s", "max_age: 1s").replace(
    "per_source: {{rate: 0.001, burst: 5}}", "per_source: null"
)
HANG_S = 60


def packet(number: int) -> bytes:
    """Its number is among the bytes that a quench quotes."""
    return ipv4(payload=number.to_bytes(8, "big") + bytes(972), source="10.0.1.1", tos=0b10, macs=MACS)


def quenched(network: Lab, timeout_s: float) -> list[int]:
    """The numbers of the packets about which a source quench was sent."""
    numbers = []
    deadline = time.monotonic() + timeout_s
    while (left := deadline - time.monotonic()) > 0:
        frame = network.receive(1, left)
        if frame is not None and frame[23] == ICMP:
            numbers.append(int.from_bytes(frame[14 + 28 + 20 :][:8], "big"))
    return numbers


def controller_pid(network: Lab) -> int:
    """The process of the controller itself: ip(8) runs it in its own place."""
    return network.processes[1].pid


def test_after_a_freeze_no_isq_is_sent_about_old_packets(tmp_path: Path) -> None:
    with lab(tmp_path, FRESH_CONFIG) as network:
        network.start_switch()
        network.start_controller()
        wait_until(network.connected, HANG_S)
        number = 0

        def is_quenched() -> bool:
            nonlocal number
            number += 1
            network.send(packet(number))
            return number in quenched(network, 0.1)

        wait_until(is_quenched, HANG_S)
        sent_s: dict[int, float] = {}
        os.kill(controller_pid(network), signal.SIGSTOP)
        start = time.monotonic()
        while time.monotonic() - start < FREEZE_S:
            number += 1
            network.send(packet(number))
            sent_s[number] = time.monotonic()
            time.sleep(PACE_S)
        thawed_s = time.monotonic()
        os.kill(controller_pid(network), signal.SIGCONT)
        numbers = quenched(network, 2.0)
        old = {number for number, at_s in sent_s.items() if thawed_s - at_s > LIMIT_S + 0.1}
        assert len(old) > FREEZE_S / PACE_S / 4
        assert not old & set(numbers), "their senders got a late source quench"
        wait_until(is_quenched, HANG_S)
        text = network.metrics()
        stale = re.search(r'quench_packet_ins_stale_total\{switch="s1"\} ([0-9.]+)', text)
        assert stale is not None
        assert float(stale[1]) >= len(old)
        assert 'quench_packet_in_age_seconds_count{switch="s1"}' in text
