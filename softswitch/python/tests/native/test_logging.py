# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The native module's messages in Python's logging."""

from __future__ import annotations

import logging
import subprocess
from pathlib import Path

import pytest
from quench_switch import RealtimeSwitch, VirtualSwitch, compile_p4

TELLING = """
#include <v1model.p4>

struct headers {}
struct metadata {}

parser start_parser(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    state start { transition accept; }
}
control nothing(inout headers hdr, inout metadata meta) { apply {} }
control tell(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    apply { log_msg("port {}", { standard.ingress_port }); }
}
control leave(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) { apply {} }
control deparse(packet_out packet, in headers hdr) { apply {} }
V1Switch(start_parser(), nothing(), tell(), leave(), nothing(), deparse()) main;
"""


def test_the_code_generator_is_silent(program_json: str, caplog: pytest.LogCaptureFixture) -> None:
    switch = VirtualSwitch()
    with caplog.at_level(logging.DEBUG):
        switch.load(program_json)
    assert switch.is_compiled
    assert caplog.records == []


def test_what_a_program_logs_passes_at_the_level_of_the_moment(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = tmp_path / "telling.p4"
    source.write_text(TELLING)
    switch = VirtualSwitch()
    switch.load(compile_p4(str(source)).json)
    for level, port in ((logging.INFO, 1), (logging.WARNING, 2), (logging.INFO, 3)):
        caplog.set_level(level)
        switch.receive(port, b"", 0)
    logged = [(each.name, each.levelname, each.message) for each in caplog.records]
    assert logged == [("p4", "INFO", "port 1"), ("p4", "INFO", "port 3")]


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
