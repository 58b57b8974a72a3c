# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench live --simulate`` as a student starts it: without root's powers, in a browser, with a threshold changed."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser

QUENCH = str(Path(sys.executable).with_name("quench"))
UNPRIVILEGED = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
TIMEOUT_S = 60
CHANGE = """
const done = arguments[arguments.length - 1];
const settings = { scheme: "ecn", minth: "5KB", maxth: "45KB" };
fetch("/change", {
  method: "POST",
  headers: { Authorization: `Bearer ${arguments[0]}` },
  body: JSON.stringify({ switch: "r1", port: 1, settings }),
}).then(async (answer) => done([answer.status, await answer.json()]), (error) => done([0, String(error)]));
"""


@pytest.fixture
def url() -> Iterator[str]:
    """The address that the command prints."""
    command = [*UNPRIVILEGED, QUENCH, "live", "--simulate", "n1", "--speed", "10", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.fullmatch(r"Open (\S+)\n", process.stdout.readline())
            assert found
            yield found[1]
            process.send_signal(signal.SIGINT)
            assert process.wait(TIMEOUT_S) == 0
        finally:
            process.kill()


def test_a_student_sees_a_simulation_and_changes_it(url: str, tmp_path: Path) -> None:
    browser = Browser(tmp_path)
    try:
        browser.driver.get(url)
        browser.wait(lambda: "simulation n1/ecn/seed=1" in browser.run("return document.body.textContent"))
        status, answer = browser.driver.execute_async_script(CHANGE, url.partition("#token=")[2])
        assert (status, answer["profile"], answer["settings"]["minth"]) == (200, 2, "5KB")
        event = re.compile(r"r1 port 1 queue 0: ecn: .*minth 5KB")
        browser.wait(lambda: event.search(browser.run("return document.body.textContent")))
        assert browser.faults() == []
    finally:
        browser.close()
