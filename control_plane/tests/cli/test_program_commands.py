# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench table``, ``counter``, ``meter``, ``register``, ``packet-out`` on a switch with somebody else's program."""

import json
import queue
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from finsy.proto import U128, p4r, p4r_grpc
from quench.cli.app import app
from quench.client.words import data, find, pairs, split_action
from quench.errors import ControllerError
from quench_switch import compile_p4
from typer.testing import CliRunner

PROGRAM = Path(__file__).parents[1] / "programs" / "any.p4"
METERS = Path(__file__).resolve().parents[3] / "softswitch" / "tests" / "programs" / "externs" / "meters.p4"
TNA_PROGRAMS = Path(__file__).resolve().parents[3] / "softswitch" / "tests" / "tna"
HANG_S = 60.0
FRAME = "020000000001020000000002080600"


@contextmanager
def running(folder: Path, program: Path, arch: str, *more: str) -> Iterator[str]:
    """The address of a switch that runs the program, without any interface."""
    compiled = compile_p4(str(program), arch=arch)
    (folder / "any.json").write_text(compiled.json)
    (folder / "any.p4info").write_bytes(compiled.p4info_binary)
    ready = folder / "ready"
    command = [sys.executable, "-m", "quench_switch.cli.switch", str(folder / "any.json")]
    options = ["--p4info", str(folder / "any.p4info"), "--grpc-server-addr", "127.0.0.1:0", "--cpu-port", "510", *more]
    with subprocess.Popen([*command, *options, "--ready-file", str(ready)], stderr=subprocess.DEVNULL) as switch:
        try:
            deadline = time.monotonic() + HANG_S
            while not ready.exists():
                assert switch.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.02)
            yield ready.read_text().strip()
        finally:
            switch.terminate()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("switch"), PROGRAM, "v1model") as address:
        yield address


@pytest.fixture(autouse=True)
def _empty(address: str) -> None:
    quench(address, "table", "clear", "--all")
    quench(address, "table", "default", "route")
    quench(address, "counter", "clear", "--all")


def quench(address: str, *words: str) -> str:
    result = CliRunner().invoke(app, [*words, "--address", address], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def rows(address: str, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(quench(address, *words, "--json"))
    return found


def test_a_program_is_described(address: str) -> None:
    tables = {row["table"]: row for row in rows(address, "table", "list")}
    assert tables["Forwarding.acl"]["keys"] == [
        {"name": "hdr.ethernet.kind", "match": "ternary", "width": "16 bits"},
        {"name": "hdr.ipv4.protocol", "match": "range", "width": "8 bits"},
        {"name": "hdr.ipv4.ttl", "match": "optional", "width": "8 bits"},
    ]
    assert tables["Forwarding.route"]["actions"] == {"Forwarding.forward": ["port", "mac"], "Forwarding.drop": []}
    assert [row["counter"] for row in rows(address, "counter", "list")] == ["Forwarding.sent", "Forwarding.routed"]
    assert rows(address, "register", "list") == [{"register": "Forwarding.last", "size": 8}]


@pytest.mark.parametrize(
    ("table", "words", "match", "action", "args"),
    [
        (
            "route",
            ["destination=10.0.1.0/24", "forward", "port=2", "mac=02:00:00:00:00:01"],
            {"destination": "10.0.1.0/24"},
            "Forwarding.forward",
            {"port": "0x2", "mac": "02:00:00:00:00:01"},
        ),
        ("Forwarding.route", ["hdr.ipv4.destination=0x0a000001", "drop"], {"destination": "10.0.0.1"}, "drop", {}),
        ("route", ["drop"], {}, "drop", {}),
        (
            "acl",
            ["kind=0x800&&&0xff0f", "protocol=1..17", "ttl=3", "drop", "--priority", "7"],
            {"kind": "0x800/&0xff0f", "protocol": "0x1...0x11", "ttl": "0x3"},
            "drop",
            {},
        ),
        ("acl", ["kind=*", "NoAction", "--priority", "1"], {}, "NoAction", {}),
        ("acl", ["kind=0&&&0", "protocol=0..0xff", "NoAction", "--priority", "1"], {}, "NoAction", {}),
        ("acl", ["protocol=0..254", "drop", "--priority", "1"], {"protocol": "0x0...0xfe"}, "drop", {}),
        ("route", ["destination=0.0.0.0/0", "drop"], {}, "drop", {}),
        ("named", ["port_name=uplink", "name_it", "name=down"], {"port_name": "uplink"}, "name_it", {"name": "down"}),
    ],
)
def test_an_entry_is_read_as_it_was_written(
    address: str, table: str, words: list[str], match: dict[str, str], action: str, args: dict[str, str]
) -> None:
    quench(address, "table", "insert", table, *words)
    (row,) = [row for row in rows(address, "table", "read", table) if "is_default_action" not in row]
    assert (row["match"], row["action"].endswith(action), row["args"]) == (match, True, args)
    keys = [word for word in words if "=" in word and word.split("=")[0] not in {"port", "mac", "name"}]
    priority = words[words.index("--priority") :] if "--priority" in words else []
    quench(
        address,
        "table",
        "modify",
        table,
        *keys,
        "NoAction" if table == "acl" else row["action"],
        *[f"{name}={value}" for name, value in args.items()],
        *priority,
    )
    quench(address, "table", "delete", table, *keys, *priority)
    assert [row for row in rows(address, "table", "read", table) if "match" in row] == []


def test_meters_are_set_and_shown(tmp_path: Path) -> None:
    with running(tmp_path, METERS, "v1model") as meters:
        assert "packets/s" in quench(meters, "meter", "get", "packet_meter")
        quench(meters, "meter", "set", "packet_meter", "3", "1000:10", "2000:20")
        wanted = {"cir": 1000, "cburst": 10, "pir": 2000, "pburst": 20}
        assert rows(meters, "meter", "get", "packet_meter", "3") == [{"index": 3, **wanted}]
        read = rows(meters, "meter", "get", "packet_meter")
        assert read == [*({"index": index} for index in range(3)), {"index": 3, **wanted}]
        quench(meters, "meter", "set", "packet_meter", "3")
        assert rows(meters, "meter", "get", "packet_meter", "3") == [{"index": 3}]
        quench(meters, "table", "insert", "metered", "index=7", "read_colour")
        (row,) = [row for row in rows(meters, "meter", "get", "entry_meter") if "match" in row]
        assert row["match"] == {"index": "0x7"}
        for words, message in (
            (("packet_meter", "3", "1000:10"), "give two rates"),
            (("packet_meter", "3", "1:2:3", "1:1"), "'1:2:3' is not RATE:BURST"),
            (("packet_meter", "9", "1:1", "1:1"), "9"),
            (("packet_meter", "1", "2:1", "1:1"), "committed rate"),
            (("entry_meter", "1", "1:1", "2:2"), "its cells have no index"),
        ):
            result = CliRunner().invoke(app, ["meter", "set", *words, "--address", meters])
            assert result.exit_code != 0
            assert message in result.output or message in str(result.exception)


def test_default_entries(address: str) -> None:
    quench(address, "table", "default", "route", "forward", "port=1", "mac=5")
    (row,) = rows(address, "table", "read", "route")
    assert (row["action"], row["args"]) == ("Forwarding.forward", {"port": "0x1", "mac": "00:00:00:00:00:05"})
    quench(address, "table", "default", "route")
    (row,) = rows(address, "table", "read", "route")
    assert row["action"] == "Forwarding.drop"


def test_constant_entries_stay(address: str) -> None:
    assert "Forwarding.fixed" not in quench(address, "table", "clear", "--all")
    assert [row["match"] for row in rows(address, "table", "read", "fixed") if "match" in row] == [{"ttl": "0x0"}]


def test_packets_out_are_counted(address: str) -> None:
    assert quench(address, "packet-out", FRAME, "egress_port=3", "--count", "3").startswith("3 packets of 15 bytes")
    deadline = time.monotonic() + HANG_S
    while not (found := rows(address, "counter", "read")) or found[0]["packets"] < 3:
        assert time.monotonic() < deadline
    assert found == [{"counter": "Forwarding.sent", "index": 3, "packets": 3, "bytes": 51}]
    assert rows(address, "register", "read", "last") == [{"index": 0, "value": 3}]
    quench(address, "counter", "clear", "sent")
    assert rows(address, "counter", "read", "sent", "--index", "3")[0]["packets"] == 0
    assert len(rows(address, "counter", "read", "sent", "--all")) == 16


def test_direct_counters_are_those_of_the_entries(address: str) -> None:
    quench(address, "table", "insert", "route", "destination=10.0.0.0/8", "drop")
    (row,) = rows(address, "counter", "read", "routed", "--all")
    assert (row["match"], row["packets"]) == ({"destination": "10.0.0.0/8"}, 0)
    assert "10.0.0.0/8" in quench(address, "counter", "read", "--all")


def test_registers_are_written(address: str) -> None:
    quench(address, "register", "write", "last", "2", "0x10")
    assert rows(address, "register", "read", "last", "2") == [{"index": 2, "value": 16}]
    quench(address, "register", "write", "last", "2", "0")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["table", "read", "nowhere"], "there is no table 'nowhere': there are Forwarding.acl, Forwarding.fixed"),
        (
            ["table", "insert", "route", "destination=1.2.3.4", "forward", "port=1"],
            "action Forwarding.forward needs mac",
        ),
        (["table", "insert", "route", "destination=10.0.0.0/33", "drop"], "table Forwarding.route: "),
        (["table", "insert", "route", "dst=1.2.3.4", "drop"], "there is no key of Forwarding.route 'dst'"),
        (["table", "insert", "route", "destination=1.2.3.4"], "needs an action behind the keys"),
        (["table", "insert", "route", "destination=", "drop"], "'destination=' is not NAME=VALUE"),
        (["table", "delete", "route", "destination=1.2.3.4"], "table 'Forwarding.route' has no entry with this key"),
        (["table", "delete", "route", "destination=1.2.3.4", "drop"], "is found by its keys: give no action"),
        (["table", "insert", "acl", "kind=1", "drop"], "table Forwarding.acl needs --priority"),
        (["table", "insert", "named", "port_name=x", "NoAction", "--priority", "3"], "takes no --priority"),
        (["table", "insert", "named", "NoAction"], "table Forwarding.named needs meta.port_name"),
        (["table", "insert", "fixed", "ttl=3", "drop"], "the entries of table 'Forwarding.fixed' are constant"),
        (["table", "insert", "route", "destination=1.2.3.4", "forward", "port=600", "mac=1"], "bitwidth 9: '600'"),
        (["table", "clear"], "give tables, or --all for all of them"),
        (["counter", "read", "sent", "--index", "99"], "index 99, the array has 16"),
        (["counter", "read", "routed", "--index", "1"], "it has no index"),
        (["register", "write", "last", "9", "1"], "index 9, the array has 8"),
        (["register", "write", "last", "1", "one"], "'one' is neither a number nor JSON"),
        (["register", "write", "last", "1", "0x100000000"], "Forwarding.last: "),
        (["packet-out", FRAME], "packet_out needs egress_port"),
        (["packet-out", FRAME, "egress_port=600"], "packet_out: "),
        (["packet-out", "xyz", "egress_port=1"], "'xyz' is no frame"),
        (["packet-out", FRAME, "port=1"], "there is no field of packet_out 'port'"),
        (["table", "read", "--device-id", "7"], "no device has id 7: this switch is device 0"),
        (["table", "clear", "--all", "--device-id", "7"], "no device has id 7: this switch is device 0"),
    ],
)
def test_a_fault_is_one_line_and_changes_nothing(address: str, words: list[str], sentence: str) -> None:
    before = rows(address, "table", "read")
    with pytest.raises(ControllerError) as error:
        quench(address, *words)
    assert sentence in str(error.value)
    assert str(error.value).isprintable()
    assert rows(address, "table", "read") == before


def test_the_id_of_a_device_need_not_be_known(tmp_path: Path) -> None:
    """The switches of networks are devices 1, 2, ...; `quench trace` needs no id either."""
    with running(tmp_path, PROGRAM, "v1model", "--device-id", "5") as address:
        assert rows(address, "table", "list") == rows(address, "table", "list", "--device-id", "5")
        assert "entries deleted" in quench(address, "table", "clear", "--all")
        with pytest.raises(ControllerError, match="no device has id 0: this switch is device 5"):
            quench(address, "table", "list", "--device-id", "0")


def test_reading_leaves_the_primary_alone(address: str) -> None:
    """A primary gets a message when another client takes its place. A reader opens no stream."""
    bid = p4r.MasterArbitrationUpdate(election_id=U128.encode(5))
    sent: queue.SimpleQueue[p4r.StreamMessageRequest | None] = queue.SimpleQueue()
    with grpc.insecure_channel(address) as channel:
        answers = p4r_grpc.P4RuntimeStub(channel).StreamChannel(iter(sent.get, None), timeout=HANG_S)

        def answer() -> p4r.MasterArbitrationUpdate:
            return next(answers).arbitration

        for _ in range(2):
            sent.put(p4r.StreamMessageRequest(arbitration=bid))
            assert answer().status.code == 0
            quench(address, "table", "read")
            quench(address, "counter", "read")
        with pytest.raises(ControllerError, match="another client is primary with election id 5: a higher one takes"):
            quench(address, "table", "default", "route")
        sent.put(p4r.StreamMessageRequest(arbitration=bid))
        assert answer().status.code == 0, "it was not disturbed"
        quench(address, "table", "default", "route", "--election-id", "6")
        assert [answer().status.code for _ in range(2)] == [6, 5], "another is primary, then there is none"
        sent.put(None)


@pytest.mark.parametrize(
    ("name", "table", "action"),
    [
        ("counter_direct", "Ingress.things", "count_it"),
        ("lpf_direct", "Ingress.things", "smooth"),
        ("action_selector", "Ingress.routes", "choose"),
    ],
)
def test_tables_of_a_tna_program_may_have_objects_of_their_own(
    tmp_path: Path, name: str, table: str, action: str
) -> None:
    arguments = ["way=1"] if action == "choose" else []
    (program,) = TNA_PROGRAMS.glob(f"*/{name}.p4")
    with running(tmp_path, program, "tna") as address:
        quench(address, "table", "insert", table, "index=7", action, *arguments)
        assert [row["match"] for row in rows(address, "table", "read", table) if "match" in row] == [{"index": "0x7"}]
        cells = rows(address, "counter", "read", "--all")
        assert [cell["match"] for cell in cells] == ([{"index": "0x7"}] if name == "counter_direct" else [])


def test_keys_that_end_alike_are_told_apart_by_the_part_before(tmp_path: Path) -> None:
    with running(tmp_path, TNA_PROGRAMS / "checksums" / "nat.p4", "tna") as address:
        (table,) = [row for row in rows(address, "table", "list") if row["table"] == "Ingress.outward"]
        assert [key["name"] for key in table["keys"]] == ["hdr.ipv4_src", "hdr.udp_src"]
        quench(address, "table", "insert", "outward", "ipv4_src=10.0.0.1", "udp_src=53", "drop")
        (row,) = [row for row in rows(address, "table", "read", "outward") if "match" in row]
        assert list(row["match"].values()) == ["0xa000001", "0x35"]


def test_words() -> None:
    assert split_action(["a=1", "b=2", "act", "x=3"]) == (["a=1", "b=2"], "act", ["x=3"])
    assert pairs(["a=b=c"]) == {"a": "b=c"}
    assert (data("0x1f"), data("[1, 2]")) == (31, [1, 2])

    class Named:
        def __init__(self, name: str) -> None:
            self.name = name

    several = [Named("a.x"), Named("b.x"), Named("x.y")]
    assert find(several, "table", "y") is several[2]
    with pytest.raises(ControllerError, match=r"table 'x': several end so: a\.x, b\.x"):
        find(several, "table", "x")
