# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench play``: what is edited in the page is compiled and run, and nobody else can have it run."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Browser
from quench.errors import ControllerError
from quench.play.runner import ReplacedError, Runner
from quench_switch.trace.trial import PACKET_BYTES, Trial
from selenium.webdriver.common.by import By
from tornado.httpclient import AsyncHTTPClient, HTTPRequest, HTTPResponse

PATIENCE_S = 60.0
PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<48> destination; bit<48> source; bit<16> ether_type; }
struct headers { ethernet_t ethernet; }
struct metadata {}
parser P(packet_in p, out headers h, inout metadata m, inout standard_metadata_t s) {
    state start { p.extract(h.ethernet); transition accept; }
}
control V(inout headers h, inout metadata m) { apply {} }
control I(inout headers h, inout metadata m, inout standard_metadata_t s) {
    action send(bit<9> port) { s.egress_spec = port; }
    action drop() { mark_to_drop(s); }
    table forward { key = { h.ethernet.destination: exact; } actions = { send; drop; } default_action = drop(); }
    apply { forward.apply(); }
}
control E(inout headers h, inout metadata m, inout standard_metadata_t s) { apply {} }
control C(inout headers h, inout metadata m) { apply {} }
control D(packet_out p, in headers h) { apply { p.emit(h.ethernet); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""
ENTRIES = "add forward h.ethernet.destination:0x0a send(port:3)\n"
PACKET = "00000000000a0000000000010800ff"


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """The address that the command prints."""
    program, entries = tmp_path / "forward.p4", tmp_path / "entries.stf"
    program.write_text(PROGRAM)
    entries.write_text(ENTRIES)
    quench = Path(sys.executable).with_name("quench")
    command = [quench, "play", str(program), "--entries", str(entries), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}
    ) as run:
        assert run.stdout is not None
        try:
            yield run.stdout.readline().split()[1]
        finally:
            run.send_signal(signal.SIGINT)
            assert run.wait(PATIENCE_S) in (0, 130)
    assert not list(tmp_path.glob("quench-play-*"))
    assert program.read_text() == PROGRAM


async def post(url: str, path: str, body: Any, **headers: str) -> HTTPResponse:
    base, _, token = url.partition("/#token=")
    headers = {"Origin": base, "Authorization": f"Bearer {token}", **headers}
    request = HTTPRequest(
        f"{base}/{path}", method="POST", body=json.dumps(body), headers=headers, request_timeout=PATIENCE_S
    )
    return await AsyncHTTPClient().fetch(request, raise_error=False)


def test_a_page_edits_and_runs(url: str, tmp_path: Path) -> None:
    browser = Browser(tmp_path, width=1440, height=1000)
    try:
        driver = browser.driver
        driver.get(url)
        browser.wait(lambda: "dropped" in browser.text("#trace"))
        assert browser.text("#name") == "forward.p4"
        assert browser.text("#total") == "1 in, 1 dropped, 0 left"
        browser.run("document.querySelector('#sent').closest('details').open = true")
        assert browser.text("#sent") == "No packet."
        # A field of the packet, as the parser took it, decides where the packet goes.
        browser.run("document.querySelector('#packets details').open = true")
        destination = driver.find_element(By.CSS_SELECTOR, ".taken input")
        browser.run("arguments[0].value = '0x0a'; arguments[0].dispatchEvent(new Event('change'))", destination)
        browser.wait(lambda: "Port 3, 54 bytes" in browser.text("#sent"))
        assert "hit entry 0: I.send(port=3)" in browser.text("#trace")
        assert browser.run("return document.querySelectorAll('.gutter .reached').length") >= 3
        # An error is marked at its line, and mended.
        source = driver.find_element(By.ID, "source")
        change = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))"
        browser.run(change, source, PROGRAM.replace("forward.apply", "backward.apply"))
        browser.wait(lambda: "forward.p4:15:13: error" in browser.text("#diagnostics"))
        assert browser.text(".gutter .faulty") == "15"
        browser.run(change, source, PROGRAM.replace("egress_spec = port", "egress_spec = 5"))
        browser.wait(lambda: "Port 5, 54 bytes" in browser.text("#sent"))
        # A fault of an entry stands below the entries.
        entries = driver.find_element(By.ID, "entries")
        browser.run(change, entries, "add backward 1 drop()")
        browser.wait(lambda: browser.text("#entries-error").startswith("entries.stf:1: "))
        browser.run(change, entries, ENTRIES)
        browser.wait(lambda: browser.text("#entries-error") == "")
        # All templates are bytes that the program can take.
        for place in range(1, 8):
            browser.run(
                "const select = document.querySelector('#template'); select.selectedIndex = arguments[0];"
                "select.dispatchEvent(new Event('change', {bubbles: true}))",
                place,
            )
        browser.wait(lambda: len(driver.find_elements(By.CSS_SELECTOR, "#trace > details")) == 8)
        assert browser.text("#packets .error") == ""
        driver.set_window_size(390, 900)
        assert browser.run("return document.scrollingElement.scrollWidth <= innerWidth")
        assert browser.faults() == []
        assert browser.requested_hosts() <= {"127.0.0.1"}
    finally:
        browser.close()


async def test_only_the_page_with_the_token_has_programs_run(url: str) -> None:
    played = {"source": PROGRAM, "entries": ENTRIES, "packets": [{"port": 1, "octets": PACKET}]}
    answer = await post(url, "run", played)
    assert (answer.code, json.loads(answer.body)["sent"]) == (200, [[3, PACKET]])
    for headers in ({"Authorization": "Bearer guessed"}, {"Origin": "http://evil.example"}, {"Host": "evil.example"}):
        for path in ("run", "start"):
            assert (await post(url, path, played, **headers)).code in (403, 421)
    for wrong in (
        {**played, "packets": [{"port": 512, "octets": PACKET}]},
        {**played, "packets": [{"port": 1, "octets": "0"}]},
        {**played, "packets": [{"port": 1, "octets": "00" * (PACKET_BYTES + 1)}]},
        {**played, "packets": [{"port": 1, "octets": PACKET, "after_ms": 1e9}]},
        {**played, "name": "/etc/passwd"},
    ):
        answer = await post(url, "run", wrong)
        assert answer.code == 400
        assert "\n" not in json.loads(answer.body)["error"]


async def test_the_newest_run_ends_the_one_before(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    given = Trial("forward.p4", PROGRAM, ENTRIES, [(1, PACKET, 0)])
    before = asyncio.create_task(runner.run(given))
    await asyncio.sleep(0)
    outcome = await runner.run(given)
    assert outcome["sent"] == [[3, PACKET]]
    with pytest.raises(ReplacedError):
        await before


@pytest.mark.parametrize(
    ("status", "complaint", "reason"),
    [
        (-signal.SIGXCPU, b"", "took longer than 3 s"),
        (-signal.SIGALRM, b"", "took longer than 3 s"),
        (-signal.SIGABRT, b"memory allocation failed", "more than 1024 MiB of memory"),
        (1, b"Traceback\nMemoryError", "more than 1024 MiB of memory"),
        (1, b"Traceback\nOSError: full\x1b[2J", "status 1: OSError: full"),
    ],
)
async def test_a_run_that_fails_says_why(
    status: int, complaint: bytes, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "python"
    end = f"kill -{-status} $$" if status < 0 else f"exit {status}"
    (tmp_path / "complaint").write_bytes(complaint)
    script.write_text(f"#!/bin/sh\ncat {tmp_path}/complaint >&2\n{end}\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    with pytest.raises(ControllerError, match=reason) as raised:
        await Runner(tmp_path, 3).run(Trial("forward.p4", PROGRAM, ENTRIES, []))
    assert "\x1b" not in str(raised.value)
