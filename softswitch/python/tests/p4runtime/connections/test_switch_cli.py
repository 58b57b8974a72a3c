# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The process that ``quench switch`` is: start, readiness, program at start, end."""

import os
import re
import signal
import subprocess
import sys

import pytest
from finsy import GRPCStatusCode as Code
from quench_switch.ports_client import PortsClient, PortsError

TIMEOUT_S = 15


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_ends_it_cleanly(start, number):
    process, address = start("--no-p4")
    process.send_signal(number)
    _, log = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, log
    assert f"listening on {address}" in log
    assert "Traceback" not in log


def test_it_ends_with_a_controller_connected(start, connect):
    process, address = start("--no-p4")
    connect(address).become_primary()
    process.terminate()
    _, log = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, log
    assert "Traceback" not in log


def test_a_program_given_at_start_runs_and_can_be_read(start, connect, files, config, names):
    _, address = start(str(files[0]), "--p4info", str(files[1]), "--cpu-port", "510")
    client = connect(address)
    running = client.get_config().config
    assert running.p4info == config.p4info
    assert not running.HasField("cookie")
    assert len(client.read(table_entry=names.entry("const_table"))) == 1


def test_options_of_ports_are_set_at_start_and_changed_at_run_time(start):
    _, address = start("--no-p4", "--port", "1:rate=10Mbps,capacity=90KB,delay=40ms", "--port", "1:loss=2%")
    with PortsClient(address) as ports:
        state = ports.get(1)
        assert (state["rate_bps"], state["capacity_bytes"], state["delay_ns"]) == (10_000_000, 90_000, 40_000_000)
        assert state["loss"] == 0.02
        changed = ports.set(1, rate_bps=0, rate_pps=500, hold=True)
        assert (changed["rate_bps"], changed["rate_pps"], changed["hold"]) == (0, 500, True)
        assert changed["delay_ns"] == 40_000_000
        assert ports.set(1, overhead_bytes=-14)["overhead_bytes"] == -14
        assert [item["port"] for item in ports.get_all()] == [1]
        ports.reset_stats(1)
        ports.reset_stats()
        stats = ports.stats()
        assert stats["controller"]["packet_ins"] == 0
        assert all(isinstance(value, int) for value in stats["switch"].values())


def test_queues_are_set_at_start_and_changed_at_run_time(start):
    port = "1:rate=10Mbps,scheduler=scfq,weights=1:0.8/0:0.2,capacity=64pkts,capacity.1=25KB"
    _, address = start("--no-p4", "--port", port, "--port", "1:capacity.0=120pkts", "--port", "1:weights=2:0.5")
    with PortsClient(address) as ports:
        state = ports.get(1)
        assert (state["scheduler"], state["queues"]) == ("scfq", 3)
        assert state["weights"] == {0: 0.2, 1: 0.8, 2: 0.5}
        assert state["queue_capacity_bytes"] == {0: 0, 1: 25_000, 2: 0}
        assert state["queue_capacity_pkts"] == {0: 120, 1: 0, 2: 64}
        changed = ports.set(1, scheduler="drr", weights={2: 3})
        assert (changed["scheduler"], changed["weights"]) == ("drr", {0: 0.2, 1: 0.8, 2: 3.0})
        assert isinstance(changed["weights"][2], float)
        changed = ports.set(1, queue_capacity_pkts={3: 7}, scheduler="strict")
        assert (changed["queues"], changed["queue_capacity_pkts"][3]) == (4, 7)
        assert ports.set(1, capacity_bytes=0, capacity_pkts=9)["queue_capacity_pkts"] == dict.fromkeys(range(4), 9)
        (queue, *others) = changed["queue_stats"]
        assert len(others) == 3
        assert queue == {
            **dict.fromkeys(("pkts", "bytes", "enqueued_pkts", "dropped_full_pkts", "tx_pkts", "tx_bytes"), 0),
            **dict.fromkeys(("max_pkts", "max_bytes"), 0),
            **dict.fromkeys(("mean_pkts", "sd_pkts", "mean_bytes", "sd_bytes"), 0.0),
        }


def test_bad_requests_about_ports_are_refused(start):
    _, address = start("--no-p4", "--port", "1:rate=10Mbps")
    with PortsClient(address) as ports:
        before = ports.get(1) | {"stats_ns": 0}
        for options in (
            {"speed": 1},
            {"rate_bps": -1},
            {"rate_bps": 1.5},
            {"rate_bps": "fast"},
            {"rate_bps": True},
            {"loss": 2},
            {"loss": "x"},
            {"hold": 1},
            {"overhead_bytes": 2**31},
            {"overhead_bytes": -(2**31) - 1},
            {"overhead_bytes": 1.5},
            {"queues": 0},
            {"queues": 9},
            {"rate_bps": 5, "rate_pps": 5},
            {"scheduler": "wfq"},
            {"scheduler": 1},
            {"weights": {0: 1}},
            {"weights": 1, "scheduler": "drr"},
            {"weights": {0: 0}, "scheduler": "drr"},
            {"weights": {0: "x"}, "scheduler": "drr"},
            {"weights": {0: True}, "scheduler": "drr"},
            {"weights": {8: 1}, "scheduler": "drr"},
            {"weights": {"high": 1}, "scheduler": "drr"},
            {"weights": {2: 1}, "scheduler": "drr", "queues": 2},
            {"queue_capacity_bytes": {0: 1.5}},
            {"queue_capacity_pkts": {0: -1}},
            {"queue_capacity_pkts": [1]},
        ):
            with pytest.raises(PortsError, match=re.escape(address)):
                ports.set(1, **options)
            assert ports.get(1) | {"stats_ns": 0} == before, options
        with pytest.raises(PortsError):
            ports.set(4711, hold=True)


def test_readiness_can_be_written_to_a_descriptor():
    read_end, write_end = os.pipe()
    command = [sys.executable, "-m", "quench_switch.cli.switch", "--no-p4", "--grpc-server-addr", "127.0.0.1:0"]
    with subprocess.Popen(
        [*command, "--ready-fd", str(write_end)], pass_fds=[write_end], stderr=subprocess.DEVNULL
    ) as process:
        os.close(write_end)
        with os.fdopen(read_end) as stream:
            assert re.fullmatch(r"127\.0\.0\.1:[0-9]+\n", stream.read())
        process.terminate()
    assert process.returncode == 0


def run(*args):
    command = [sys.executable, "-m", "quench_switch.cli.switch", "--grpc-server-addr", "127.0.0.1:0", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "either a JSON file or --no-p4"),
        (["x.json", "--no-p4"], "either a JSON file or --no-p4"),
        (["x.p4"], "x.p4 is P4 source: compile it first, with `quench compile x.p4 -o DIR` (for Tofino `--arch tna`)"),
        (["--no-p4", "--p4info", "x"], "--p4info needs"),
        (["--no-p4", "--deflect-queue", "0"], "--deflect-queue needs"),
        (["--no-p4", "--threads", "0"], "give a number from 1 to 64, or auto"),
        (["--no-p4", "--threads", "65"], "give a number from 1 to 64, or auto"),
        (["--no-p4", "--threads", "2", "--fanout", "3"], "--fanout 3 needs as many threads"),
        (["--no-p4", "--cpus", "0,9999"], "not a processor that this process may use"),
        (["--no-p4", "--generate", "1"], "--generate 1: '1' is not APP:KEY=VALUE,..."),
        (["--no-p4", "--generate", "8:port-down,bytes=00"], "'8' is not a number from 0 to 7"),
        (["--no-p4", *["--generate", "0:port-down,bytes=00"] * 2], "application 0 is given twice"),
        (["--no-p4", "-i", "veth0"], "PORT@INTERFACE"),
        (["--no-p4", "-i", "1@a", "-i", "1@b"], "twice"),
        (["--no-p4", "--port", "1:rate=10"], "10Mbps or 1000pps"),
        (["--no-p4", "--port", "1:scheduler=fq"], "'fq' is not strict, drr or scfq"),
        (["--no-p4", "--cpu-port", "3", "-i", "3@a"], "CPU port"),
        (["--no-p4", "--log-console", "--log-file", "x"], "exclude"),
        (["--no-p4", "--log-level", "loud"], "loud"),
        (["--no-p4", "--log-file", "/nowhere/log"], "/nowhere/log: No such file"),
        (["--no-p4", "--ready-fd", "99"], "--ready-fd 99: Bad file descriptor"),
        (["--no-p4", "--ready-fd", "4294967296"], "--ready-fd"),
        (["--no-p4", "--port", "1:queues=" + "9" * 5000], "is not a number from 1 to 8"),
    ],
)
def test_wrong_usage_is_explained(args, message):
    result = run(*args)
    assert result.returncode == 2
    assert message in " ".join(result.stderr.replace("│", " ").split())


def test_what_cannot_be_started_is_one_line(tmp_path, files):
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "bad.txtpb").write_text("tables { nonsense }")
    for args, message in [
        ([str(tmp_path / "none.json")], "none.json: No such file"),
        ([str(tmp_path / "bad.json")], "bad.json: p4_device_config:"),
        ([str(files[0]), "--p4info", str(tmp_path / "bad.txtpb")], "bad.txtpb: not P4Info"),
        (["/dev/zero"], "/dev/zero: is no regular file"),
        ([str(files[0]), "--p4info", "/dev/zero"], "/dev/zero: is no regular file"),
        (
            ["--no-p4", "--grpc-server-ssl", "--grpc-server-cert", "/dev/zero", "--grpc-server-key", "/dev/zero"],
            "/dev/zero: is no regular file",
        ),
        (["--no-p4", "-i", "1@no-such-interface0"], "port 1 on no-such-interface0:"),
        (["--no-p4", "--port", "1:weights=0:1"], "port 1: strict priority has no weights"),
        (["--no-p4", "--grpc-server-addr", "nonsense"], "cannot listen on nonsense"),
        (["--no-p4", "--ready-file", "/nowhere/ready"], "/nowhere/ready: No such file or directory"),
    ]:
        result = run(*args, "--log-level", "error")
        assert result.returncode == 1, args
        assert message in result.stderr
        assert "Traceback" not in result.stderr


@pytest.mark.parametrize("name", ["fifo", "link", ""])
def test_only_a_regular_file_is_replaced(tmp_path, name):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("fifo")
    result = run("--no-p4", "--ready-file", str(tmp_path / name))
    assert result.returncode == 2, result.stderr
    assert "exists and is no regular file" in " ".join(result.stderr.replace("│", " ").split())
    assert (tmp_path / "fifo").is_fifo()
    assert (tmp_path / "link").is_symlink()


def test_p4info_that_is_none_is_not_quoted_whole(tmp_path, files):
    (tmp_path / "x").write_text("[" * 100_000)
    result = run(str(files[0]), "--p4info", str(tmp_path / "x"))
    assert result.returncode == 1
    assert len(result.stderr) < 2000


def test_a_second_server_on_the_same_address_fails(start):
    _, address = start("--no-p4")
    result = run("--no-p4", "--grpc-server-addr", address)
    assert result.returncode == 1
    assert f"cannot listen on {address}" in result.stderr


def test_a_restarted_switch_is_empty_and_forgets_election_ids(start, connect, config):
    process, address = start("--no-p4", "--cpu-port", "510")
    client = connect(address)
    client.become_primary(9)
    client.set_config(config, election_id=9)
    process.terminate()
    process.communicate(timeout=TIMEOUT_S)
    _, address = start("--no-p4", "--cpu-port", "510", "--grpc-server-addr", address)
    again = connect(address)
    again.become_primary(1)
    assert not again.get_config().HasField("config")
    assert again.code(lambda: again.write(election_id=9)) == Code.PERMISSION_DENIED
