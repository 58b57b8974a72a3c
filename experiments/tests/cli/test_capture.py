# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench experiment capture``, with the simulator."""

from pathlib import Path

import pytest
from experiment_file import write_experiment
from quench_experiments.cli.app import app
from scapy.layers.inet import IP, TCP
from scapy.packet import Packet
from scapy.utils import rdpcap
from typer.testing import CliRunner, Result

RUN = "small/ecn/n=2/seed=1"


def capture(tmp_path: Path, *arguments: object) -> Result:
    file = write_experiment(tmp_path, [1])
    words = ["capture", file, *arguments, "--out", tmp_path / "out"]
    return CliRunner().invoke(app, [str(each) for each in words], prog_name="quench experiment")


def packets(path: str) -> list[Packet]:
    return list(rdpcap(path))


def test_a_link_of_a_run_is_captured_both_ways(tmp_path: Path) -> None:
    result = capture(tmp_path, RUN, "--pcap", "bottleneck", "--pcap", "to-servers1", "--seconds", 2)
    assert result.exit_code == 0, result.output
    of_both, of_one = result.stdout.split()
    assert Path(of_both) == tmp_path / "out" / "captures" / "small_ecn_n=2_seed=1.bottleneck.pcap"
    frames = packets(of_both)
    assert 0 < float(frames[0].time) < float(frames[-1].time) <= 2
    assert len({frame[IP].src for frame in frames}) == 4
    assert len({frame[IP].src for frame in packets(of_one)}) == 2
    data = [frame for frame in frames if len(frame[TCP].payload) > 0]
    assert 0 < len(data) < len(frames)
    for frame in frames[:20]:
        built = frame.copy()
        del built[IP].chksum, built[TCP].chksum
        assert bytes(type(frame)(bytes(built))) == bytes(frame)


def test_the_file_is_the_same_each_time(tmp_path: Path) -> None:
    path = Path(capture(tmp_path, RUN, "--pcap", "bottleneck", "--seconds", 1).stdout.strip())
    first = path.read_bytes()
    capture(tmp_path, RUN, "--pcap", "bottleneck", "--seconds", 1)
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((RUN, "--pcap", "nowhere"), "there is no link nowhere: there are bottleneck, "),
        (("small/ecn/n=9/seed=1", "--pcap", "bottleneck"), "there is no run small/ecn/n=9/seed=1: "),
        ((RUN, "--pcap", "bottleneck", "--program", "none.json"), "run 'make p4'"),
    ],
)
def test_what_is_not_there_is_one_line(tmp_path: Path, arguments: tuple[object, ...], said: str) -> None:
    result = capture(tmp_path, *arguments)
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("quench experiment capture: ")
    assert said in line
