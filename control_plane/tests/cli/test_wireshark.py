# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The dissector for Wireshark, by tshark, on packets that our own switch, controller and window algorithms define."""

import csv
import json
import random
import re
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab import ETH_P_ALL, ROOT, Lab, inside, lab, wait_until
from quench.cli.app import app
from quench.errors import ControllerError
from quench.isq.message import internet_checksum
from quench.wireshark import SCRIPT_NAME, install, script
from test_isq import ipv4
from typer.testing import CliRunner

SO_RCVBUFFORCE = 33
ECT0 = 0b10
TCP = 6
SYN, ACK, ECE, CWR = 0x02, 0x10, 0x40, 0x80
FROM_H1 = bytes.fromhex("000000000101 000000000102")
FROM_H2 = bytes.fromhex("000000000201 000000000202")
H1, H2 = "10.0.1.1", "10.0.2.1"
VECTORS = ROOT / "docs/reference/vectors/rocev2.json"
H2_OF_VECTORS = "10.0.2.2"
ISQ_LEVEL = 37
CURVE = {"scheme": "curve", "points": [{"depth": 0, "p1": 1.0, "isq": True, "isq_level": ISQ_LEVEL, "advice": "30%"}]}
DROPS = {"scheme": "curve", "points": [{"depth": 0, "p1": 1.0, "isq": True, "advice": "2ms", "drop": True}]}
# Level 1 is ECT(1), as Multilevel ECN has it.
MECN = {"scheme": "curve", "level1_codepoint": "ect1", "points": [{"depth": 0, "p1": 1.0}]}
# Behind the headers of Ethernet, IPv4, TCP with time stamps, HTTP/2's DATA and gRPC.
MESSAGE_AT = 14 + 20 + 32 + 9 + 5
MECN_OPTION = bytes.fromhex("fd044d45")


def write_pcap(path: Path, frames: list[bytes]) -> None:
    """A capture of Ethernet frames, a second apart."""
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, 1))
        for second, frame in enumerate(frames):
            file.write(struct.pack("<IIII", second, 0, len(frame), len(frame)) + frame)


def read_pcap(path: Path) -> list[bytes]:
    """The frames of a capture that ``write_pcap`` wrote."""
    content, at, frames = path.read_bytes(), 24, []
    while at < len(content):
        (length,) = struct.unpack_from("<I", content, at + 8)
        frames.append(content[at + 16 : at + 16 + length])
        at += 16 + length
    return frames


def tcp(flags: int, *, source: str, destination: str, options: bytes = b"", payload: bytes = b"") -> bytes:
    """A segment between H1 and H2, with its Ethernet and IP headers."""
    ports = (40000, 80) if source == H1 else (80, 40000)
    words = 5 + len(options) // 4
    header = struct.pack("!HHIIHHHH", *ports, 1, 1, words << 12 | flags, 65535, 0, 0) + options + payload
    pseudo = socket.inet_aton(source) + socket.inet_aton(destination) + struct.pack("!HH", TCP, len(header))
    checksum = internet_checksum(pseudo + header)
    segment = header[:16] + checksum.to_bytes(2, "big") + header[18:]
    macs = FROM_H1 if source == H1 else FROM_H2
    tos = 0 if flags & SYN else ECT0
    return ipv4(payload=segment, source=source, destination=destination, protocol=TCP, tos=tos, macs=macs)


class Loopback:
    """All frames of the namespace's loopback, where switch and controller talk, from the first on."""

    def __init__(self, network: Lab) -> None:
        self.frames: list[bytes] = []
        with inside(network.name):
            self._raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            self._raw.bind(("lo", ETH_P_ALL))
        # The controller writes hundreds of kilobytes at once; a frame that is lost here ends the dissection.
        self._raw.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
        self._raw.settimeout(0.2)
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        while True:
            try:
                frame, address = self._raw.recvfrom(1 << 18)
            except TimeoutError:
                if self._ends.is_set():
                    return
                continue
            if address[2] != socket.PACKET_OUTGOING:
                self.frames.append(frame)

    def stop(self) -> None:
        self._ends.set()
        self._thread.join(20)
        self._raw.close()


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with isq.pcap, mecn.pcap and p4runtime.pcap."""
    folder = tmp_path_factory.mktemp("wireshark")
    with lab(folder) as network:
        loopback = Loopback(network)
        try:
            network.start_switch()
            network.start_controller()
            wait_until(network.connected, 60)
            write_pcap(folder / "isq.pcap", quenches(network))
            write_pcap(folder / "mecn.pcap", connection(network))
        finally:
            loopback.stop()
        write_pcap(folder / "p4runtime.pcap", loopback.frames)
        yield folder


def quenches(network: Lab) -> list[bytes]:
    """An ISQ about a marked packet, one about a dropped one, and an ordinary ICMP message."""
    found = []
    for profile in (CURVE, DROPS):
        network.client.call("thresholds.set", switch="s1", port=2, settings=profile)
        network.send(ipv4(payload=bytes(980), source=H1, tos=ECT0, macs=FROM_H1))
        isq = network.receive(1)
        assert isq is not None
        found.append(isq)
    return [*found, ipv4(payload=bytes.fromhex("0800f7ff00000000"), protocol=1, macs=FROM_H1)]


def connection(network: Lab) -> list[bytes]:
    """A connection with Multilevel ECN as the switch forwards it."""
    # A SYN is not ECT: the curve, which marks everything, would drop it.
    network.client.call("thresholds.set", switch="s1", port=2, settings={"scheme": "taildrop"})
    network.drain()
    there, back = {"source": H1, "destination": H2}, {"source": H2, "destination": H1}
    sent = [
        tcp(SYN | ECE | CWR, options=MECN_OPTION, **there),
        tcp(SYN | ACK | ECE, options=MECN_OPTION, **back),
        tcp(ACK | ECE, payload=bytes(100), **there),
        tcp(ACK | CWR, **back),
        tcp(ACK | CWR | ECE, **back),
        tcp(ACK, payload=bytes(100), **there),
    ]
    found = []
    for number, segment in enumerate(sent):
        if number == 2:
            network.client.call("thresholds.set", switch="s1", port=2, settings=MECN)
        port = 1 if segment.startswith(FROM_H1) else 2
        network.sockets[port].send(segment)
        frame = network.receive(3 - port)
        assert frame is not None
        found.append(frame)
    return found


def tshark(capture: Path, folder: Path, shown: str, *fields: str) -> list[list[str]]:
    """The fields of the frames that a display filter leaves, by a tshark with the script in ``folder``."""
    command = ["tshark", "-n", "-r", str(capture), "-X", f"lua_script:{folder / SCRIPT_NAME}", "-Y", shown]
    command += ["-T", "fields", "-E", "separator=,", "-E", "quote=d", "-E", "occurrence=a"]
    for field in fields:
        command += ["-e", field]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "quench.lua" not in done.stderr, done.stderr
    return list(csv.reader(done.stdout.splitlines()))


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plugin")
    install(folder)
    return folder


@pytest.mark.netns
def test_a_source_quench_shows_its_mark_bit_level_and_advice(captures: Path, plugin: Path) -> None:
    fields = ("quench.isq.marked", "quench.isq.level", "quench.advice.reduction", "quench.advice.pause")
    found = tshark(captures / "isq.pcap", plugin, "quench", *fields, "_ws.col.Info")
    assert [row[:4] for row in found] == [["1", str(ISQ_LEVEL), "30", ""], ["0", "0", "", "2000"]]
    assert [row[4].partition("[")[2] for row in found] == [
        f"packet marked, level {ISQ_LEVEL}, reduce by 30 %]",
        "packet dropped, level 0, pause 2000 us]",
    ]


def test_a_cnp_shows_its_form_and_the_flow_that_it_is_about(plugin: Path, tmp_path: Path) -> None:
    vectors = {vector["name"]: vector for vector in json.loads(VECTORS.read_text())["vectors"]}
    frames = [
        bytes.fromhex(vectors[name]["message"]) for name in ("cnp-ipv4", "cnp-ipv6-pause", "fast-cnp-ipv6-reduce")
    ]
    # A receiver's CNP has nothing in the reserved bytes.
    frames += [frames[0][:54] + bytes(16) + frames[0][70:], bytes.fromhex(vectors["cnp-ipv4"]["about"])]
    write_pcap(tmp_path / "cnp.pcap", frames)
    fields = ("form", "destination_qp", "original_destination", "original_destination_ipv6")
    columns = (
        "frame.number",
        *(f"quench.cnp.{name}" for name in fields),
        "quench.advice.reduction",
        "quench.advice.pause",
    )
    assert tshark(tmp_path / "cnp.pcap", plugin, "quench", *columns) == [
        ["1", "CNP of a switch", "0xabcdef", H2_OF_VECTORS, "", "", ""],
        ["2", "CNP of a switch", "0xabcdef", "", "2001:db8:2::2", "", "100"],
        ["3", "Fast CNP", "0xabcdef", "", "2001:db8:2::2", "30", ""],
        ["4", "CNP of a receiver", "", "", "", "", ""],
    ]
    cut = [frame[:length] for frame in frames[:3] for length in range(14, len(frame))]
    write_pcap(tmp_path / "cut.pcap", cut)
    assert tshark(tmp_path / "cut.pcap", plugin, "_ws.lua.error", "frame.number") == []


def test_a_source_quench_of_icmpv6_shows_the_same(plugin: Path, tmp_path: Path) -> None:
    vectors = {vector["name"]: vector for vector in json.loads(VECTORS.read_text())["vectors"]}
    whole = [bytes.fromhex(vectors[name]["message"]) for name in ("icmpv6-marked", "icmpv6-dropped")]
    write_pcap(tmp_path / "icmpv6.pcap", [*whole, *(whole[0][:length] for length in range(14, len(whole[0])))])
    fields = ("quench.isq.marked", "quench.isq.level", "quench.advice.reduction", "quench.advice.pause")
    found = tshark(tmp_path / "icmpv6.pcap", plugin, "quench && frame.number <= 2", *fields, "quench.cnp.form")
    assert found == [["1", "64", "30", "", ""], ["0", "0", "", "100", ""]]
    assert tshark(tmp_path / "icmpv6.pcap", plugin, "_ws.lua.error", "frame.number") == []


def test_a_csig_tag_shows_its_number_and_what_is_behind_it(plugin: Path, tmp_path: Path) -> None:
    plain = tcp(SYN, source=H1, destination=H2)
    compact = bytes.fromhex("9900") + struct.pack("!H", 1 << 13 | 31 << 7 | 0x52)
    wide = bytes.fromhex("88b5") + struct.pack("!HI", 0x1234, 2 << 28 | 0xABCDE << 8)
    vlan = bytes.fromhex("81000007")
    frames = [plain[:12] + tags + plain[12:] for tags in (compact, wide, vlan + compact)]
    cut = [frame[:length] for frame in frames for length in range(14, len(frame))]
    write_pcap(tmp_path / "csig.pcap", [*frames, *cut])
    fields = ("type", "bucket", "value", "locator", "ether_type")
    columns = (*(f"quench.csig.{name}" for name in fields), "ip.src", "tcp.dstport")
    assert tshark(tmp_path / "csig.pcap", plugin, "quench_csig && frame.number <= 3", *columns) == [
        ["1", "31", "", "0x0052", "0x0800", H1, "80"],
        ["2", "", str(0xABCDE), "0x1234", "0x0800", H1, "80"],
        ["1", "31", "", "0x0052", "0x0800", H1, "80"],
    ]
    assert tshark(tmp_path / "csig.pcap", plugin, "_ws.lua.error", "frame.number") == []


def test_a_returned_csig_tag_shows_its_number(plugin: Path, tmp_path: Path) -> None:
    def returning(content: bytes, before: bytes = b"", behind: bytes = b"") -> bytes:
        length = 4 + len(content)
        option = bytes([1] * (-length % 4)) + struct.pack("!BBH", 253, length, 0x4353) + content
        return tcp(ACK, source=H2, destination=H1, options=before + option + behind)

    compact = struct.pack("!H", 2 << 13 | 17 << 7 | 3)
    wide = struct.pack("!HI", 0x1234, 5000 << 8)
    # TCP Fast Open, whose cookie is in a field of its own, and an experiment that nobody knows.
    fast_open, other = bytes.fromhex("fd08f98900112233"), bytes.fromhex("fd0600070011 0101")
    frames = [returning(content) for content in (compact, wide, b"", b"123", bytes(7))]
    frames.append(returning(compact, MECN_OPTION + fast_open, other))
    write_pcap(tmp_path / "csig.pcap", frames)
    columns = (f"quench.csig.{name}" for name in ("type", "bucket", "value", "locator"))
    assert tshark(tmp_path / "csig.pcap", plugin, "quench_csig", *columns) == [
        ["2", "17", "", "0x0003"],
        ["0", "", "5000", "0x1234"],
        ["2", "17", "", "0x0003"],
    ]
    assert tshark(tmp_path / "csig.pcap", plugin, "_ws.lua.error", "frame.number") == []


@pytest.mark.netns
def test_multilevel_ecn_shows_negotiation_codepoints_and_echo(captures: Path, plugin: Path) -> None:
    fields = ("quench.mecn.option", "quench.mecn.codepoint", "quench.mecn.echo")
    assert tshark(captures / "mecn.pcap", plugin, "quench", *fields) == [
        ["offered", "", ""],
        ["accepted", "", ""],
        ["", "1", "1"],
        ["", "2", "2"],
        ["", "2", "3"],
        ["", "1", "0"],
    ]
    (line,) = tshark(captures / "mecn.pcap", plugin, "frame.number == 4", "_ws.col.Info")
    assert line[0].endswith("[no congestion; echo: incipient congestion]")


@pytest.mark.netns
def test_a_connection_without_the_option_is_ordinary_ecn(captures: Path, plugin: Path, tmp_path: Path) -> None:
    frames = [
        tcp(SYN | ECE | CWR, source=H1, destination=H2, options=MECN_OPTION),
        tcp(SYN | ACK | ECE, source=H2, destination=H1),
        tcp(ACK | ECE, source=H1, destination=H2),
    ]
    write_pcap(tmp_path / "plain.pcap", frames)
    assert tshark(tmp_path / "plain.pcap", plugin, "quench", "quench.mecn.option") == [["offered"]]


@pytest.mark.netns
def test_packet_ins_and_packet_outs_of_p4runtime_are_shown(captures: Path, plugin: Path) -> None:
    names = ("reason", "level", "ingress_port", "egress_port", "queue", "isq_level", "isq_advice")
    fields = [f"quench.packet_in.{name}" for name in names]
    found = tshark(captures / "p4runtime.pcap", plugin, "quench.packet_in.reason", *fields)
    # A frame of the capture may carry several messages.
    rows = [list(copy) for frame in found for copy in zip(*(column.split(",") for column in frame), strict=True)]
    marked, dropped = (
        ["1", "1", "1", "2", "0", str(ISQ_LEVEL), "30"],
        ["3", "0", "1", "2", "0", "0", str(0x8000 | 2000)],
    )
    assert marked in rows
    assert dropped in rows
    columns = ("ip.src", "_ws.col.Source", "_ws.col.Protocol", "_ws.col.Info")
    sources = tshark(captures / "p4runtime.pcap", plugin, "quench.packet_in.reason == 1", *columns)
    assert any(f"127.0.0.1,{H1}" in row[0] and "[packet-in: marked]" in row[3] for row in sources)
    # The columns are those of the connection, and not of the packet in it.
    assert {(row[1], row[2]) for row in sources} == {("127.0.0.1", "GRPC")}
    outs = tshark(captures / "p4runtime.pcap", plugin, "quench.packet_out.submit_to_ingress == 1", "_ws.col.Info")
    assert len(outs) >= 1
    assert all("[packet-out]" in row[0] for row in outs)


@pytest.mark.netns
@pytest.mark.parametrize("seed", range(4))
def test_hostile_messages_end_no_dissection(captures: Path, plugin: Path, tmp_path: Path, seed: int) -> None:
    """Bytes of the messages are changed: the script meets lengths and ids that make no sense."""
    chance = random.Random(seed)
    frames = read_pcap(captures / "p4runtime.pcap")
    for number, frame in enumerate(frames):
        if socket.inet_aton(H1) in frame[MESSAGE_AT:]:
            changed = bytearray(frame)
            for place in chance.sample(range(MESSAGE_AT, len(frame)), 4):
                changed[place] = chance.choice([0, 0x7F, 0xFF, changed[place] ^ 1])
            frames[number] = bytes(changed)
    write_pcap(tmp_path / "changed.pcap", frames)
    assert tshark(tmp_path / "changed.pcap", plugin, "_ws.lua.error", "frame.number") == []
    # The messages still reach the script.
    assert tshark(tmp_path / "changed.pcap", plugin, "quench_p4runtime", "frame.number")


def test_the_script_has_the_numbers_of_the_programs() -> None:
    (exid,) = re.findall(r"#define MECN_EXID (0x\w+)", (ROOT / "host_stack/bpf/q_mecn_tc.bpf.c").read_text())
    assert f"MECN_EXID = {exid} " in script()
    headers = (ROOT / "p4src/common/headers.p4").read_text()
    for name, table in (("packet_in", "PACKET_IN"), ("packet_out", "PACKET_OUT")):
        (body,) = re.findall(rf"header {name}_t {{(.*?)\n}}", headers, re.DOTALL)
        declared = {
            int(number): field.removesuffix("_q16_pkts")
            for number, field in re.findall(r"@id\((\d+)\)\s+\w+(?:<\d+>)?\s+(\w+);", body)
        }
        (lua,) = re.findall(rf"local {table} = {{(.*?)\n}}", script(), re.DOTALL)
        ids = {"REASON_ID": 1, "AVERAGE_ID": 8, "TIME_ID": 9}
        shown = {
            ids.get(key) or int(key): field.removesuffix("_pkts") if field == "average_pkts" else field
            for key, field in re.findall(rf'\[(\w+)\] = [\w.]+\("(?:quench\.)?{name}\.(\w+)"', lua)
        }
        assert shown == declared
    types = (ROOT / "p4src/common/types.p4").read_text()
    (members,) = re.findall(r"enum bit<8> reason_t {(.*?)}", types, re.DOTALL)
    for name, value in re.findall(r"(\w+)\s+= (\d+)", members):
        assert f'[{value}] = "{name.lower().replace("_", " ")}"' in script()


def test_the_command_installs_where_wireshark_looks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    done = CliRunner().invoke(app, ["wireshark"], catch_exceptions=False)
    path = Path(done.stdout.partition(":")[0])
    assert path.is_relative_to(tmp_path)
    assert path.read_text() == script()
    # tshark loads it by itself.
    listed = subprocess.run(["tshark", "-G", "fields"], check=True, capture_output=True, text=True, timeout=120)
    assert "\tquench.isq.marked\t" in listed.stdout


def test_print_and_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert CliRunner().invoke(app, ["wireshark", "--print"], catch_exceptions=False).stdout == script()
    CliRunner().invoke(app, ["wireshark", "--folder", str(tmp_path / "a" / "b")], catch_exceptions=False)
    assert (tmp_path / "a" / "b" / SCRIPT_NAME).read_text() == script()
    with pytest.raises(ControllerError, match="leave out --folder"):
        CliRunner().invoke(app, ["wireshark", "--print", "--folder", "x"], catch_exceptions=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ControllerError, match="neither wireshark nor tshark is installed here"):
        CliRunner().invoke(app, ["wireshark"], catch_exceptions=False)
