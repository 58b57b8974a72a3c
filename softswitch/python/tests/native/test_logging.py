# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What of the native module's messages comes to Python's logging."""

from __future__ import annotations

import logging
import subprocess

import pytest
from quench_switch import RealtimeSwitch, VirtualSwitch


def test_the_code_generator_is_silent(program_json: str, caplog: pytest.LogCaptureFixture) -> None:
    switch = VirtualSwitch()
    with caplog.at_level(logging.DEBUG):
        switch.load(program_json)
    assert switch.is_compiled
    assert caplog.records == []


@pytest.mark.netns
def test_messages_of_ours_pass_at_the_level_of_the_moment(
    veth: tuple[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    _, near = veth
    subprocess.run(["ip", "link", "set", near, "down"], check=True)
    switch = RealtimeSwitch()
    for level, port in ((logging.INFO, 1), (logging.WARNING, 2), (logging.INFO, 3)):
        caplog.set_level(level)
        switch.add_port(port, near)
    switch.stop()
    down = [(each.levelname, each.message) for each in caplog.records if "is down as yet" in each.message]
    assert down == [("INFO", f"port {port}: interface {near} is down as yet") for port in (1, 3)]
