# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench thresholds compare`` over a real switch under traffic, and the former profile after every end."""

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lab import ALWAYS, CONFIG, QUENCH, Lab, lab, wait_until
from quench.cli.app import app
from quench.cli.profile_options import profile_from
from quench.compare.turns import Plan, Turns
from quench.errors import ControllerError
from quench.service.protocol import ControlClient
from test_service import ect_packet
from typer.testing import CliRunner

pytestmark = pytest.mark.netns
FORMER = "{{scheme: ecn, minth: 15KB}}"
NEVER = "scheme: ecn\nminth: 80KB\nmaxth: 90KB\n"
OFTEN = "scheme: curve\npoints: [{depth: 0, p1: 1.0}, {depth: 999pkts, p1: 1.0}]\n"


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab(tmp_path_factory.mktemp("compare"), CONFIG.replace(ALWAYS, FORMER)) as made:
        made.start_switch("--port", "2:rate=10Mbps,capacity=90KB")
        made.start_controller()
        wait_until(made.connected, 60)
        (made.folder / "a.yaml").write_text(NEVER)
        (made.folder / "b.yaml").write_text(OFTEN)
        yield made


def command(network: Lab, *more: str, a: str = "a.yaml", b: str = "b.yaml") -> list[str]:
    files = [str(network.folder / a), str(network.folder / b)]
    return ["thresholds", "compare", *files, "--socket", str(network.folder / "ctl.sock"), *more]


def without_number(network: Lab) -> dict[str, Any]:
    (row,) = network.client.call("thresholds.show")
    return {key: value for key, value in row.items() if key != "profile"}


def profiles_in_feed(network: Lab) -> dict[int, None]:
    """The numbers of the profiles that samples have."""
    samples = network.client.call("feed")["update"]["samples"]
    return dict.fromkeys(queue["profile"] for each in samples for port in each["ports"] for queue in port["queues"])


def test_two_profiles_are_compared_and_the_former_one_comes_back(network: Lab) -> None:
    before = without_number(network)
    options = ["--seconds", "4", "--warm-up", "2s", "--batch", "1s", "--json"]
    with network.sending(ect_packet(), burst=2, pause_s=0.01):
        done = CliRunner().invoke(app, command(network, *options), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    figures = {each["figure"]: each for each in json.loads(done.stdout)["figures"]}
    marks = figures["marked_pps"]
    assert (len(marks["batches_a"]), len(marks["batches_b"])) == (4, 4)
    # No batch has samples of the other profile.
    assert marks["a"]["value"] == 0
    assert marks["b"]["value"] > 0
    assert marks["difference"]["value"] == marks["b"]["value"]
    assert marks["difference"]["half_width"] > 0
    assert 0 < figures["utilisation"]["a"]["value"] <= 1
    assert figures["goodput_mbps"]["a"] is None
    turns = [line.partition(": ")[2] for line in done.stderr.splitlines()[1:]]
    assert [turn.rpartition("/")[2] for turn in turns] == ["a.yaml", "b.yaml"] * 4
    assert without_number(network) == before
    assert before["defaults"] == ["maxth"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_comparison_gives_the_former_profile_back(network: Lab, number: int) -> None:
    before = without_number(network)
    with subprocess.Popen([QUENCH, *command(network)], stderr=subprocess.PIPE, text=True) as comparing:
        assert comparing.stderr is not None
        assert "8 turns of 20 s, 160 s in all" in comparing.stderr.readline()
        wait_until(lambda: without_number(network)["settings"] != before["settings"])
        comparing.send_signal(number)
        words = comparing.communicate(timeout=60)[1]
    assert comparing.returncode == 128 + number
    assert "Traceback" not in words
    assert without_number(network) == before


def test_a_profile_of_somebody_else_ends_it_and_stays(network: Lab) -> None:
    before = without_number(network)
    theirs = {"scheme": "ecn", "minth": "3KB", "maxth": "9KB"}
    with subprocess.Popen([QUENCH, *command(network)], stderr=subprocess.PIPE, text=True) as comparing:
        assert comparing.stderr is not None
        while not comparing.stderr.readline().startswith("quench: turn 1 of 8: "):
            assert comparing.poll() is None
        # Once the turn, and not the trial before it, has its first sample.
        numbers = [*profiles_in_feed(network)]
        wait_until(lambda: [*profiles_in_feed(network)][-1] not in numbers)
        network.client.call("thresholds.set", switch="s1", port=2, settings=theirs)
        words = comparing.communicate(timeout=60)[1]
    assert comparing.returncode == 1
    assert "somebody else has changed its profile meanwhile, which stays" in words
    assert "its profile was changed meanwhile: measure again" in words
    assert without_number(network)["settings"]["minth"] == "3KB"
    network.client.call("thresholds.set", switch="s1", port=2, settings={"scheme": "ecn", "minth": "15KB"})
    assert without_number(network) == before


@pytest.mark.parametrize(
    ("options", "b", "sentence"),
    [
        (["--seconds", "50"], NEVER, "--seconds 50: each of 4 turns has whole batches of 5 s: give 40"),
        (["--batch", "100ms"], NEVER, "--batch: give 1s to 86400s: rates are means over 1s"),
        (["--port", "1"], NEVER, "no such queue has a profile"),
        ([], "scheme: ecn\nminth: 90KB\nmaxth: 1KB\n", "minth"),
        ([], "scheme: ecn\nminth: 20%\n", "buffer"),
    ],
)
def test_what_cannot_be_compared_is_an_error_and_changes_nothing(
    network: Lab, tmp_path: Path, options: list[str], b: str, sentence: str
) -> None:
    before = without_number(network)
    (tmp_path / "b.yaml").write_text(b)
    done = CliRunner().invoke(app, command(network, *options, b=str(tmp_path / "b.yaml")))
    assert sentence in str(done.exception)
    assert "\n" not in str(done.exception)
    assert without_number(network) == before


def test_a_lost_answer_and_thresholds_in_percent_come_back_as_they_were_written(network: Lab) -> None:
    place = {"switch": "s1", "port": 2, "queue": 0}
    theirs = {"scheme": "ecn", "minth": "5ms", "maxth": "40ms"}
    network.client.call("thresholds.set", **place, settings=theirs)
    (row,) = network.client.call("thresholds.show")
    assert row["given"] == theirs

    class Losing(ControlClient):
        """The controller makes each change, and its answers are lost."""

        def call(self, method: str, **params: Any) -> Any:
            answer = super().call(method, **params)
            if method == "thresholds.set" and params["settings"] != theirs:
                raise ControllerError("no answer")
            return answer

    turns = Turns(Losing(network.folder / "ctl.sock"), row)
    words: list[str] = []
    profiles = [profile_from(network.folder / f"{name}.yaml", {}) for name in "ab"]
    with pytest.raises(ControllerError, match="no answer"), turns.restored(words.append):
        turns.measure(profiles, Plan(1, 1, 1), lambda _: None)
    assert words == []
    (after,) = network.client.call("thresholds.show")
    assert after["given"] == theirs
    network.client.call("thresholds.set", **place, settings={"scheme": "ecn", "minth": "15KB"})
