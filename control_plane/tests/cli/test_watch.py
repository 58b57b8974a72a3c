# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench thresholds watch`` in a pipe, and on a terminal the screen of ``quench top``, over a real switch."""

import asyncio
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import suppress
from fcntl import ioctl
from pathlib import Path

import pytest
from feeds import N1, START_S, FakeSource, layout, port_sample, profile, sample, update
from lab import ALWAYS, CONFIG, GRPC, QUENCH, Lab, lab, wait_until
from quench.cli.live_source import source_of
from quench.errors import ConfigError, ControllerError
from quench.feed.model import Update
from quench.top.lines import moment, print_lines
from quench.top.state import MOST_KNOWN, State, Wanted
from test_isq import ipv4

HANG_S = 30
ONE = ("s1", 2, 0)
ECN = "{{scheme: ecn, minth: 15KB, maxth: 45KB}}"


def lines_of(
    *updates: Update,
    wanted: Wanted | None = None,
    count: int = 0,
    interval_s: float = 0.1,
    since_s: float = START_S - 1,
) -> tuple[list[str], list[str]]:
    """The lines, and the sentences about what is waited for, after these updates."""
    written: list[str] = []
    said: list[str] = []

    source = FakeSource(*updates, ends=True)
    asyncio.run(print_lines(source, wanted or Wanted(), interval_s, count, written.append, said.append, since_s))
    return written, said


def test_a_line_has_the_date_the_figures_and_the_thresholds() -> None:
    (line,), said = lines_of(update(sample(port_sample()), layout=layout({ONE: profile()})))
    assert line == (
        f"{moment('unix', START_S)}  s1 2.0  depth   31 pkts  average   22.41 pkts  marked    12.3/s  "
        "dropped     0.8/s  ISQs     8.1/s  ecn-becn minth 15KB maxth 45KB becnthresh 20KB 2 maxth 90KB"
    )
    assert re.match(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$", moment("unix", START_S))
    assert said == []


def test_there_is_a_line_at_most_once_in_an_interval() -> None:
    moments = [update(sample(port_sample(depth=number), time_s=START_S + number / 10)) for number in range(11)]
    moments[0]["layout"] = layout({ONE: profile()})
    written, _ = lines_of(*moments, interval_s=0.5)
    assert [int(re.findall(r"depth +(\d+)", line)[0]) for line in written] == [0, 5, 10]


def test_the_first_line_is_the_present_and_not_the_history() -> None:
    history = [sample(port_sample(depth=number), time_s=START_S + number) for number in range(100)]
    written, _ = lines_of(update(*history, layout=layout({ONE: profile()})))
    assert len(written) == 1
    assert "depth   99 pkts" in written[0]


def test_a_sample_of_before_the_command_is_no_line() -> None:
    written, said = lines_of(
        update(sample(port_sample(depth=11), time_s=START_S - 60), layout=layout({ONE: profile()})),
        update(sample(port_sample(depth=12), time_s=START_S - 1)),
        update(sample(port_sample(depth=13), time_s=START_S)),
        # The machine's clock was set back.
        update(sample(port_sample(depth=14), time_s=START_S - 3600)),
        count=1,
    )
    assert [line[25:52] for line in written] == ["s1 2.0  depth   13 pkts  av"]
    assert said == []


def test_a_line_has_the_thresholds_that_held_when_its_sample_was_taken() -> None:
    changed = {**N1, "minth": "7KB"}
    written, _ = lines_of(
        update(sample(port_sample(profile=4)), layout=layout({ONE: profile()}, number=4)),
        update(sample(port_sample(profile=4), time_s=START_S + 1), layout=layout({ONE: profile(**changed)}, number=5)),
        update(sample(port_sample(profile=5), time_s=START_S + 2)),
        update(sample(port_sample(profile=3), time_s=START_S + 3)),
        update(sample(port_sample(profile=None), time_s=START_S + 4)),
    )
    labels = [line.rpartition("/s  ")[2].split(" maxth")[0] for line in written]
    assert labels == [
        "ecn-becn minth 15KB",
        "ecn-becn minth 15KB",
        "ecn-becn minth 7KB",
        "profile 3",
        "ecn-becn minth 7KB",
    ]


def test_few_profiles_are_remembered() -> None:
    state = State()
    for number in range(1000):
        state.apply(update(layout=layout({ONE: profile()}, number=number)))
    (queue,) = state.queues.values()
    assert list(queue.known) == list(range(1000 - MOST_KNOWN, 1000))


def test_count_ends_it() -> None:
    moments = [update(sample(port_sample(), time_s=START_S + number)) for number in range(9)]
    moments[0]["layout"] = layout({ONE: profile()})
    assert len(lines_of(*moments, count=3)[0]) == 3


def test_waiting_is_said_once_for_each_reason() -> None:
    arranged, away = layout({ONE: profile()}), layout({ONE: profile()}, connected=False)
    idle = [update(sample(port_sample(depth=None, average=None), time_s=START_S + number)) for number in range(5)]
    idle[0]["layout"] = arranged
    written, said = lines_of(
        update(layout=layout({})),
        *idle,
        update(sample(port_sample(), time_s=START_S + 6)),
        update(sample(time_s=START_S + 7), layout=away),
        update(lost="no controller answers"),
        update(lost="no controller answers"),
        update(sample(port_sample(), time_s=START_S + 9), layout=arranged),
    )
    assert len(written) == 2
    assert said == [
        "waiting: no queue has a profile",
        "waiting: s1 2.0: no packet leaves the queue, so the switch reports none",
        "waiting: s1 2.0: the switch is not connected",
        "waiting: no controller answers",
    ]


def test_a_queue_that_is_not_there_is_an_error() -> None:
    arranged = update(layout=layout({ONE: profile(), ("s1", 3, 1): profile()}))
    with pytest.raises(ControllerError, match=r"^no such queue: there are these, as port.queue: 2.0, 3.1$"):
        lines_of(arranged, wanted=Wanted("s1", 4))
    with pytest.raises(ControllerError, match=r"^there is no switch 's9': there are s1$"):
        lines_of(arranged, wanted=Wanted("s9"))


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab(tmp_path_factory.mktemp("watch"), CONFIG.replace(ALWAYS, ECN)) as made:
        made.start_switch("--port", "2:rate=10Mbps,capacity=90KB")
        made.start_controller()
        wait_until(made.connected, 60)
        yield made


def send(network: Lab) -> None:
    for _ in range(5):
        network.send(
            ipv4(payload=bytes(980), source="10.0.1.1", tos=0b10, macs=bytes.fromhex("000000000101 000000000102"))
        )


@pytest.mark.netns
def test_in_a_pipe_the_command_prints_lines(network: Lab) -> None:
    command = [QUENCH, "thresholds", "watch", "s1", "--interval", "100ms", "--count", "2"]
    command += ["--socket", str(network.folder / "ctl.sock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
        wait_until(lambda: send(network) or watching.poll() is not None, 60)
        assert watching.stdout is not None
        lines = watching.stdout.read().splitlines()
    assert watching.returncode == 0
    assert len(lines) == 2
    assert all("ecn minth 15KB maxth 45KB" in line and line.startswith("20") for line in lines)


@pytest.mark.netns
def test_ctrl_c_ends_the_lines_without_a_word(network: Lab) -> None:
    command = [QUENCH, "thresholds", "watch", "s1", "--socket", str(network.folder / "ctl.sock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watching:
        assert watching.stderr is not None
        # The queue is idle: it says so, once.
        assert (
            watching.stderr.readline()
            == "quench: waiting: s1 2.0: no packet leaves the queue, so the switch reports none\n"
        )
        watching.send_signal(signal.SIGINT)
        # Lines about the packets of an earlier test may have come before.
        assert watching.communicate(timeout=60)[1] == ""


class Terminal:
    """A program on a terminal of 80 columns and 24 lines."""

    def __init__(self, *command: str) -> None:
        self._ours, theirs = pty.openpty()
        ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.output = b""
        environment = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        self._process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
        )
        os.close(theirs)

    def read_until(self, text: str) -> None:
        """Read on until the program has drawn this."""
        deadline = time.monotonic() + HANG_S
        begin = len(self.output)
        while text.encode() not in re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z$]", b"", self.output[begin:]):
            assert time.monotonic() < deadline, self.output[-4000:]
            if select.select([self._ours], [], [], 0.2)[0]:
                self.output += os.read(self._ours, 1 << 16)

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def kill(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def end(self) -> int:
        """The exit status, once the program has ended."""
        deadline = time.monotonic() + HANG_S
        while self._process.poll() is None:
            assert time.monotonic() < deadline
            # A program that writes to a full terminal would never end.
            if select.select([self._ours], [], [], 0.1)[0]:
                try:
                    self.output += os.read(self._ours, 1 << 16)
                except OSError:
                    continue
        # The program has closed its end of the terminal: what it wrote last can be read to the end.
        with suppress(OSError):
            while rest := os.read(self._ours, 1 << 16):
                self.output += rest
        return self._process.returncode

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._ours)


@pytest.mark.netns
@pytest.mark.parametrize("command", [["top"], ["thresholds", "watch", "s1"]], ids=" ".join)
def test_on_a_terminal_keys_change_the_thresholds_of_the_switch(network: Lab, command: list[str]) -> None:
    network.client.call("thresholds.set", switch="s1", port=2, settings={**N1, "scheme": "ecn-becn"})
    terminal = Terminal(QUENCH, *command, "--socket", str(network.folder / "ctl.sock"))
    try:
        terminal.read_until("minth 15KB")
        terminal.press("++")
        terminal.read_until("minth 17KB?")
        (row,) = network.client.call("thresholds.show")
        assert row["settings"]["minth"] == "15KB"
        terminal.press("\r")
        wait_until(lambda: network.client.call("thresholds.show")[0]["settings"]["minth"] == "17KB")
        terminal.press("q")
        assert terminal.end() == 0
    finally:
        terminal.close()


@pytest.mark.netns
def test_a_switch_is_shown_without_a_controller(network: Lab) -> None:
    network.client.call("thresholds.set", switch="s1", port=2, settings={**N1, "scheme": "ecn-becn"})
    command = ["ip", "netns", "exec", network.name, QUENCH, "top", "--address", GRPC]
    terminal = Terminal(*command, "--rate", "10Mbps", "--port", "2")
    try:
        # The settings behind the rows that the controller has written, in packets.
        terminal.read_until("minth 15pkts")
        terminal.press("q")
        assert terminal.end() == 0
    finally:
        terminal.close()


def test_sources_that_contradict_each_other_or_are_none_are_refused(tmp_path: Path) -> None:
    socket = tmp_path / "none.sock"
    for options, sentence in (
        ({"result": tmp_path, "address": GRPC}, "give RESULT, --address or --simulate"),
        ({"rate": "10Mbps"}, "--rate belongs to --address"),
        ({"address": GRPC, "rate": "10"}, "--rate: '10' has no unit"),
        ({"address": "nowhere"}, "--address: 'nowhere' is not HOST:PORT"),
        ({}, "no controller answers"),
    ):
        with pytest.raises(ControllerError, match=sentence):
            source_of(socket, **options)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"none\.parquet: No such file or directory"):
        source_of(socket, result=tmp_path / "none.parquet")


@pytest.mark.netns
def test_a_signal_ends_the_screen_and_gives_the_terminal_back(network: Lab) -> None:
    terminal = Terminal(QUENCH, "top", "--socket", str(network.folder / "ctl.sock"))
    try:
        terminal.read_until("s1 2.0")
        terminal.kill(signal.SIGTERM)
        assert terminal.end() == 0
        # The alternate screen is left.
        assert b"\x1b[?1049l" in terminal.output
    finally:
        terminal.close()


def test_top_without_a_terminal_or_a_controller_is_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [QUENCH, "top"], check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("quench: this is no terminal: ")
    assert done.stderr.count("\n") == 1
    terminal = Terminal(QUENCH, "top", "--socket", str(tmp_path / "none.sock"))
    try:
        assert terminal.end() == 1
        assert b"no controller answers" in terminal.output
    finally:
        terminal.close()
