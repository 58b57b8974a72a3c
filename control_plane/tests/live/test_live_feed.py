# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The feed of a controller and of a lone switch: a real switch, real packets, the controller's socket."""

import asyncio
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from lab import CONFIG, ROOT, Lab, lab, wait_until
from quench.config.model import Config
from quench.errors import ControllerError
from quench.feed.hub import CHANGES, LINGER_S
from quench.feed.model import IDLE_S, Change, Update
from quench.feed.source import ChangeError
from quench.live.sources.controller import ControllerSource
from quench.live.sources.lone import LoneSource
from quench.profiles import parse_settings
from quench.profiles.compile import compile_profile
from quench.profiles.curve import curve_of
from quench.profiles.decompile import curve_of_rows
from quench.service.agent import SwitchAgent
from quench.service.live_feed import LiveFeed
from quench.service.metrics import Metrics
from quench_switch.p4runtime.address import DEFAULT_DEVICE_ID
from quench_switch.ports_client import PortsClient
from test_service import ect_packet

HANG_S = 60
FLOW = {
    "flow": "h1:1 > 10.0.2.1:2",
    "host": "h1",
    "cwnd_pkts": 12,
    "ssthresh_pkts": None,
    "srtt_ms": 40.0,
    "retransmitted_pkts": 0,
    "reductions": 0,
}
ECN = {"scheme": "ecn", "minth": "5KB", "maxth": "20KB"}


def address_in(folder: Path) -> str:
    """The address of the switch's P4Runtime server."""
    return f"unix:{folder}/p4rt.sock"


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("live")
    # A path, which is the same in all namespaces: the threads of this process's gRPC stay out of the laboratory's.
    with lab(folder, CONFIG.replace("{grpc}", address_in(folder))) as made:
        made.start_switch("--grpc-server-addr", address_in(folder), "--port", "2:rate=10Mbps,capacity=100pkts")
        made.start_controller()
        wait_until(made.connected, 60)
        yield made


class Watched:
    """All that a source has shown."""

    def __init__(self) -> None:
        self.layout: Any = None
        self.ports: list[Any] = []
        self.flows: list[Any] = []
        self.times: list[float] = []
        self.events: list[Any] = []
        self.lost: str | None = None
        self.restarts = 0

    def add(self, update: Update) -> None:
        self.layout = update["layout"] or self.layout
        self.ports += [port for each in update["samples"] for port in each["ports"]]
        self.flows += [flow for each in update["samples"] for flow in each["flows"]]
        self.times += [each["time_s"] for each in update["samples"]]
        self.events += update["events"]
        self.lost = update["lost"]
        self.restarts += update["restarted"]

    @property
    def queue(self) -> Any:
        return self.layout["switches"][0]["ports"][0]["queues"][0]

    @property
    def profile(self) -> Any:
        return self.queue["profile"]


async def watch(source: ControllerSource | LoneSource, enough: Callable[[Watched], Any]) -> Watched:
    watched = Watched()
    async with asyncio.timeout(HANG_S), aclosing(source.updates()) as updates:
        async for update in updates:
            watched.add(update)
            if enough(watched):
                break
    return watched


async def test_samples_have_depth_marks_and_utilisation(network: Lab) -> None:
    source = ControllerSource(network.folder / "ctl.sock")
    with network.sending(ect_packet(), burst=1, pause_s=0.01):
        watched = await watch(
            source,
            lambda w: w.ports and w.ports[-1]["marked_pps"] and w.ports[-1]["queues"][0]["depth_pkts"] is not None,
        )
    await source.close()
    newest = watched.ports[-1]
    assert (newest["switch"], newest["port"]) == ("s1", 2)
    assert newest["seen_pps"] > 0
    assert newest["dropped_forced_pps"] == 0
    assert newest["isqs_pps"] is not None
    assert 0 < newest["utilisation"] <= 1
    assert newest["queues"][0]["average_pkts"] is not None
    (row,) = network.client.call("thresholds.show")
    assert newest["queues"][0]["profile"] == watched.queue["number"] == row["profile"] is not None
    assert watched.profile["settings"]["scheme"] == "curve"
    assert watched.layout["switches"][0]["isq_mode"] == "cpu"


async def test_an_idle_queue_has_no_depth(network: Lab) -> None:
    source = ControllerSource(network.folder / "ctl.sock")
    watched = await watch(source, lambda w: w.ports and w.ports[-1]["queues"][0]["depth_pkts"] is None)
    await source.close()
    assert watched.ports[-1]["queues"][0]["average_pkts"] is None


async def test_one_change_sets_profile_rate_and_sender_at_once(network: Lab) -> None:
    source = ControllerSource(network.folder / "ctl.sock")
    change = Change.model_validate(
        {"switch": "s1", "port": 2, "settings": ECN, "rate": "8Mbps", "isq_mode": "dataplane"}
    )
    async with asyncio.timeout(HANG_S):
        changed = await source.change(change)
    watched = await watch(
        source, lambda w: len({event["kind"] for event in w.events} & {"profile", "rate", "isq"}) == 3
    )
    try:
        assert changed["profile"] is not None
        assert (changed["rate_bps"], changed["isq_mode"]) == (8_000_000, "dataplane")
        numbers = [event["change"] for event in watched.events if event["kind"] in CHANGES]
        assert numbers == list(range(1, len(numbers) + 1))
        assert {event["text"] for event in watched.events[-3:]} == {
            "s1: source quenches: dataplane",
            "s1 port 2: rate 8Mbps",
            "s1 port 2 queue 0: ecn: minth 5KB, maxth 20KB",
        }
        assert [each["pkts"] for each in watched.profile["thresholds"]] == [5, 20, 40]
        (row,) = network.client.call("thresholds.show", switch="s1")
        assert (row["settings"]["minth"], row["rate_bps"]) == ("5KB", 8_000_000)
        with PortsClient(address_in(network.folder)) as ports:
            assert ports.get(2)["rate_bps"] == 8_000_000
    finally:
        await source.change(Change.model_validate({"switch": "s1", "port": 2, "rate": "10Mbps", "isq_mode": "cpu"}))
        await source.close()


async def test_the_controller_records_while_nobody_watches(network: Lab) -> None:
    newest = (await watch(ControllerSource(network.folder / "ctl.sock"), lambda w: w.ports)).times[-1]
    # Nobody is a reader until this one asks again.
    await asyncio.sleep(LINGER_S + 2 * IDLE_S)
    source = ControllerSource(network.folder / "ctl.sock")
    watched = await watch(source, lambda w: w.times)
    await source.close()
    assert [time_s for time_s in watched.times if newest + LINGER_S < time_s]


async def test_a_change_by_another_client_is_an_event(network: Lab) -> None:
    source = ControllerSource(network.folder / "ctl.sock")
    before = await watch(source, lambda w: w.layout is not None)
    settings = {**ECN, "minth": "7KB"}
    await asyncio.to_thread(network.client.call, "thresholds.set", switch="s1", port=2, settings=settings)
    watched = await watch(
        source, lambda w: len(w.events) > len(before.events) and w.profile["settings"]["minth"] == "7KB"
    )
    await source.close()
    assert watched.events[-1]["text"] == "s1 port 2 queue 0: ecn: minth 7KB"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"switch": "s9", "port": 2, "settings": ECN}, "there is no switch 's9'"),
        ({"switch": "s1", "port": 1, "settings": ECN}, "has no profile"),
        ({"switch": "s1", "port": 2, "rate": "1bps"}, "a mean packet of 1000 bytes takes 8000 s"),
    ],
)
async def test_a_change_that_cannot_be_made_changes_nothing(
    network: Lab, change: dict[str, Any], sentence: str
) -> None:
    before = network.client.call("thresholds.show")
    source = ControllerSource(network.folder / "ctl.sock")
    with pytest.raises(ChangeError, match=sentence):
        await source.change(Change.model_validate(change))
    await source.close()
    assert network.client.call("thresholds.show") == before


async def test_flows_that_are_handed_in_are_in_the_samples(network: Lab) -> None:
    source = ControllerSource(network.folder / "ctl.sock")
    hosts = [{"host": "h1", "algorithm": "becn", "counters": {"reactions_isq_marked": 3}}]
    client = network.client

    async def hand_in() -> None:
        while True:
            await asyncio.to_thread(client.call, "feed.flows", reporter="test", hosts=hosts, flows=[FLOW])
            await asyncio.sleep(0.2)

    handing_in = asyncio.create_task(hand_in())
    watched = await watch(source, lambda w: w.flows)
    handing_in.cancel()
    assert watched.flows[-1] == FLOW
    assert client.call("feed.flows", reporter="test", hosts=[], flows=[])["watched"]
    await source.close()


@pytest.mark.parametrize(
    "params",
    [
        {"reporter": "x", "hosts": [], "flows": [{**FLOW, "cwnd_pkts": "many"}]},
        {"reporter": "x", "hosts": [], "flows": [FLOW] * 201},
        {"reporter": "x" * 101, "hosts": [], "flows": []},
        {"hosts": [], "flows": []},
    ],
)
def test_malformed_flows_are_refused(network: Lab, params: dict[str, Any]) -> None:
    with pytest.raises(ControllerError, match=r"flows|reporter"):
        network.client.call("feed.flows", **params)


def test_a_queues_buffer_is_in_the_layout_where_it_is_known() -> None:
    profiled = {"rate": "10Mbps", "profile": {"scheme": "ecn", "minth": "20%"}, "buffer": "90KB"}
    switch = {
        "name": "s1",
        "address": "127.0.0.1:1",
        "pipeline": {"p4info": str(ROOT / "build/quench.p4info.txtpb"), "json": str(ROOT / "build/quench.json")},
        "router_address": "10.0.0.254",
        "ports": {1: {"rate": "10Mbps", "profile": {"scheme": "ecn"}}, 2: profiled},
    }
    config = Config.model_validate({"switches": [switch]})
    agent = SwitchAgent(config, config.switches[0], Metrics())
    layout = LiveFeed([agent], "test", 60.0, None).layout["switches"][0]
    assert [queue.get("buffer") for port in layout["ports"] for queue in port["queues"]] == [None, "90KB"]


def test_a_watcher_that_does_not_read_stops_nobody(network: Lab) -> None:
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.connect(str(network.folder / "ctl.sock"))
        deaf.setblocking(False)
        line = json.dumps({"method": "feed", "params": {"wait_s": 1}}).encode() + b"\n"
        deaf.send(line * 1000)
        answer = network.client.call("feed", wait_s=1)
        assert answer["update"] is not None
        again = network.client.call("feed", epoch=answer["epoch"], number=answer["number"], wait_s=10)
        assert again["number"] > answer["number"]


async def test_a_controller_that_comes_back_begins_anew(network: Lab) -> None:
    source = ControllerSource(network.folder / "ctl.sock")
    controller = network.processes[-1]

    def restarted(watched: Watched) -> bool:
        if watched.ports and controller.poll() is None:
            network.end(controller)
        if watched.lost is not None and network.processes[-1] is controller:
            network.start_controller()
        return bool(watched.restarts and watched.lost is None)

    watched = await watch(source, restarted)
    await source.close()
    assert watched.layout["title"].startswith("controller at ")
    wait_until(network.connected, 60)


async def test_a_lone_switch_is_read_and_changed_without_a_controller(network: Lab) -> None:
    network.end(network.processes[-1])
    address = address_in(network.folder)
    source = LoneSource(address, DEFAULT_DEVICE_ID, rate_bps=10_000_000)
    with network.sending(ect_packet(), burst=5, pause_s=0.01):
        watched = await watch(
            source, lambda w: w.ports and w.ports[-1]["seen_pps"] and w.ports[-1]["queues"][0]["depth_pkts"] is not None
        )
        assert watched.profile["settings"] == {}
        assert watched.profile["curve"]
        assert watched.layout["switches"][0]["isq_mode"] is None
        place = {"switch": address, "port": 2}
        with pytest.raises(ChangeError, match="no named scheme"):
            await source.change(Change.model_validate({**place, "rate": "5Mbps"}))
        with pytest.raises(ChangeError, match="controller's setting"):
            await source.change(Change.model_validate({**place, "isq_mode": "off"}))
        await source.change(Change.model_validate({**place, "settings": ECN}))
        # The table may be read while it is written.
        await watch(source, lambda w: w.events and w.profile["settings"].get("minth") == "5KB")
    await source.close()
    # Another client finds the settings again in the rows.
    other = LoneSource(address, DEFAULT_DEVICE_ID, rate_bps=10_000_000)
    watched = await watch(other, lambda w: w.layout is not None)
    await other.close()
    assert watched.profile["settings"]["scheme"] == "ecn"
    assert [each["pkts"] for each in watched.profile["thresholds"] if each["name"] == "minth"] == [5.0]


async def test_a_switch_that_is_away_is_said() -> None:
    source = LoneSource("127.0.0.1:1", DEFAULT_DEVICE_ID)
    watched = await watch(source, lambda w: w.lost)
    await source.close()
    assert (watched.lost or "").startswith("127.0.0.1:1: ")


@pytest.mark.parametrize(
    "settings",
    [
        ECN,
        {"scheme": "ecn-becn", "minth": "5KB", "becnthresh": "10KB", "maxth": "20KB"},
        {"scheme": "mecn", "minth": "5KB", "midth": "10KB", "maxth": "20KB", "gentle": False},
        {"scheme": "curve", "points": [{"depth": 0, "p1": 0.5}, {"depth": "10pkts", "p1": 0.1, "isq": True}]},
    ],
)
def test_rows_give_the_curve_back(settings: dict[str, Any]) -> None:
    profile = parse_settings(settings)
    wanted = curve_of(profile)
    found = curve_of_rows(compile_profile(profile, 10_000_000).curve)
    for average_pkts in (1, 5.5, 7, 11, 19.5, 21, 30, 39, 41, 100):
        one, other = wanted.at(average_pkts), found.at(average_pkts)
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            assert other.p1(average_pkts) == pytest.approx(one.p1(average_pkts), abs=1e-4)
            assert other.p2(average_pkts) == pytest.approx(one.p2(average_pkts), abs=1e-4)
            assert (other.isq, other.drop) == (one.isq, one.drop)
