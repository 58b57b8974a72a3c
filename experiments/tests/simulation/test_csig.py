# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Tags of CSIG on their whole way: hosts set them, the P4 program replaces their numbers, ACKs return them."""

import struct
from pathlib import Path

import pytest
from quench_experiments.definition import load
from quench_experiments.simulation.run import simulate
from quench_experiments.simulation.scenario import Measure, Pcap
from scapy.utils import RawPcapReader

IPV4 = 0x0800
CONTENT = {0x9900: 2, 0x88B5: 6}
"""Bytes of a tag without its EtherType."""
LINK = "to-hosts1"


def run(scheme: str, folder: Path) -> list[bytes]:
    """The frames of a short incast of 16 flows on the link to the receiver, both ways."""
    runs = load("signals.csig-bits").runs(quick=True)
    scenario = next(each.scenario for each in runs if each.id.startswith(f"signals.csig-bits/incast/{scheme}/n=16/"))
    path = folder / "link.pcap"
    measure = Measure(pcap=(Pcap(link=LINK, path=str(path)),))
    simulate(scenario.model_copy(update={"duration_s": 0.0006, "warmup_s": 0.0, "measure": measure}))
    return [data for data, _ in RawPcapReader(str(path))]


def tag_of(frame: bytes) -> tuple[int, bytes] | None:
    """A tag's EtherType and content."""
    (kind,) = struct.unpack_from("!H", frame, 12)
    if kind not in CONTENT:
        return None
    content = frame[14 : 14 + CONTENT[kind]]
    assert struct.unpack_from("!H", frame, 14 + len(content)) == (IPV4,)
    return kind, content


def returned(frame: bytes) -> bytes | None:
    """The tag in the option of a segment, without its EtherType."""
    header = frame[34:]
    options = header[20 : (header[12] >> 4) * 4].lstrip(b"\1")
    if not options:
        return None
    assert struct.unpack_from("!BBH", options) == (253, len(options), 0x4353)
    return options[4:]


@pytest.mark.parametrize(("scheme", "ether_type"), [("five-bits", 0x9900), ("wide", 0x88B5)])
def test_the_numbers_of_the_switch_come_back_in_acks(tmp_path: Path, scheme: str, ether_type: int) -> None:
    frames = run(scheme, tmp_path)
    tags = [tag for tag in map(tag_of, frames) if tag is not None]
    acks = [content for frame in frames if tag_of(frame) is None and (content := returned(frame)) is not None]
    assert {kind for kind, _ in tags} == {ether_type}
    # All data has a tag, and each is returned as it has arrived, in order: of the last ones the ACKs are under way.
    assert len(tags) + len(acks) == len(frames)
    assert len(tags) > 1000
    assert acks == [content for _, content in tags[: len(acks)]]
    assert len(tags) - len(acks) < 20
    if ether_type == 0x9900:
        numbers = [(word >> 13, word >> 7 & 31) for (word,) in (struct.unpack("!H", content) for _, content in tags)]
    else:
        words = [struct.unpack("!HI", content)[1] for _, content in tags]
        numbers = [(word >> 28, word >> 8 & 0xFFFFF) for word in words]
    delays = [number for about, number in numbers if about == 2]
    bandwidths = [number for about, number in numbers if about == 0]
    assert len(delays) == pytest.approx(len(bandwidths), rel=0.05)
    # A full link: packets wait, and no bandwidth is left after the first windows.
    assert max(delays) > 0
    assert min(bandwidths) == 0


def test_without_csig_nothing_has_tags(tmp_path: Path) -> None:
    frames = run("rtt", tmp_path)
    assert not any(map(tag_of, frames))
    assert not any(map(returned, frames))
