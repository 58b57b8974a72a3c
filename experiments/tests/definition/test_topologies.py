# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The networks against the papers' parameters."""

import pytest
from defined import runs_by_labels
from pydantic import ValidationError
from quench_experiments.definition.fabric import Star, Tree
from quench_experiments.definition.setup import Setup
from shipped import shipped


def first(key, quick=True, **labels):
    """The scenario of the first run with these labels."""
    return runs_by_labels(shipped(key).runs(quick, seeds=1), **labels)[0].scenario


def links_of(scenario, prefix):
    return [link for link in scenario.links if link.b.startswith(prefix)]


def profile_of(scenario, router="r1"):
    (profile,) = next(each for each in scenario.routers if each.name == router).profiles.values()
    return profile


def test_n1():
    scenario = first("P1.B", scheme="ecn", n=45)
    bottleneck = scenario.links[0]
    assert (bottleneck.name, bottleneck.a, bottleneck.b) == ("bottleneck", "r1", "r2")
    assert (bottleneck.delay_s, bottleneck.ab.rate_bps, bottleneck.ab.buffer_bytes) == (0.040, 10e6, 90_000)
    assert (bottleneck.ba.rate_bps, bottleneck.ba.buffer_bytes) == (10e6, None)
    for prefix in ("servers", "clients"):
        links = links_of(scenario, prefix)
        assert len(links) == 45
        assert {(link.delay_s, link.ab.rate_bps, link.ba.rate_bps) for link in links} == {(0.002, 100e6, 100e6)}
    profile = profile_of(scenario)
    assert (str(profile.minth), str(profile.maxth), profile.maxp, profile.wq) == ("15KB", "45KB", 0.1, 0.002)
    assert (profile.byte_mode, profile.gentle, profile.wait, profile.mark_at) == (True, True, True, "tail")
    assert profile.mean_packet_bytes == 1000
    stack = scenario.stacks["scheme"]
    assert (stack.preset, stack.algorithm, stack.recovery, stack.max_window_pkts) == ("ns2-2001", "ecn", "newreno", 100)
    assert {source.from_[:7] for source in scenario.sources} == {"servers"}
    assert (scenario.duration_s, scenario.warmup_s) == (300.0, 100.0)


def test_n1_at_250_ms_differs_in_the_delay_only():
    near, far = first("P1.E", delay="40ms", n=45), first("P1.E", delay="250ms", n=45)
    assert far.links[0].delay_s == 0.250
    assert far.links[0].model_copy(update={"delay_s": 0.040}) == near.links[0]
    assert far.links[1:] == near.links[1:]


def test_n1_with_web():
    """10 servers and 10 clients beside the FTP pairs; 1000 sessions from 50 s on."""
    scenario = first("P0.D", n=15)
    assert len(links_of(scenario, "web-servers")) == len(links_of(scenario, "web-clients")) == 10
    assert len(links_of(scenario, "servers")) == len(links_of(scenario, "clients")) == 15
    web = next(source for source in scenario.sources if source.kind == "web")
    assert (web.start_s, web.sessions, len(web.servers), len(web.clients)) == (50.0, 1000, 10, 10)
    values = web.model_dump()
    assert (values["inter_session_s"]["mean"], values["inter_page_s"]["mean"], values["inter_page_s"]["shape"]) == (
        0.5,
        10,
        2,
    )
    assert (values["objects_per_page"]["mean"], values["objects_per_page"]["shape"]) == (3, 1.5)
    assert (values["inter_object_s"]["mean"], values["inter_object_s"]["shape"]) == (0.1, 1.5)


@pytest.mark.parametrize("loss", [0, 0.04, 0.1])
def test_n2(loss):
    """Only what goes from the first router to the sender is lost."""
    scenario = first("P0.C", scheme="ecn-becn", loss=loss)
    bottleneck, *access = scenario.links
    assert (bottleneck.delay_s, bottleneck.ab.rate_bps, bottleneck.ab.buffer_bytes) == (0.010, 0.5e6, 30_000)
    assert {(link.delay_s, link.ab.rate_bps) for link in access} == {(0.002, 10e6)}
    losses = {f"{link.a} {link.b}": (link.ab.loss, link.ba.loss) for link in scenario.links}
    assert losses == {"r1 r2": (0, 0), "r1 sender": (loss, 0), "r2 clients1": (0, 0)}
    profile = profile_of(scenario)
    assert (str(profile.minth), str(profile.maxth), str(profile.becnthresh)) == ("5KB", "15KB", "6KB")


def test_vw():
    """Two queues, weights 0.2 and 0.8; voice in one by its DSCP, marks in the other."""
    scenario = first("P2.1", scheme="ecn-mod-0.0625", calls=100)
    forward = scenario.links[0].ab
    assert (forward.rate_bps, forward.scheduler, forward.weights) == (10e6, "scfq", pytest.approx((0.2, 0.8)))
    assert forward.queue_buffer_bytes == (120_000, 20_000)
    router = scenario.routers[0]
    assert router.queues == 2
    assert [(each.dscp, each.queue) for each in router.classes] == [(46, 1)]
    assert list(router.profiles) == ["bottleneck.ab.0"]
    profile = profile_of(scenario)
    assert (str(profile.minth), str(profile.maxth), profile.maxp) == ("20pkts", "80pkts", 0.2)
    assert (profile.c1, profile.c2) == (0.0625, 0.25)
    assert scenario.stacks["scheme"].parameters == {"c1": 0.0625, "c2": 0.25}
    voice = next(source for source in scenario.sources if source.kind == "voip")
    assert (voice.calls_per_s, voice.holding_s) == (1, 100)


def test_vw_spreads_round_trips():
    """20 flows evenly from 20 to 200 ms, counted over all links that a packet and its ACK cross."""
    scenario = first("P2.1", scheme="ecn", calls=100)
    near = scenario.links[0].delay_s + links_of(scenario, "clients")[0].delay_s
    round_trips = [2 * (link.delay_s + near) for link in links_of(scenario, "sources")]
    assert round_trips == pytest.approx([0.020 + 0.180 * index / 19 for index in range(20)])


def test_vw_without_isolation_has_one_queue():
    scenario = first("P2.4", part="fifo")
    forward = scenario.links[0].ab
    assert (forward.scheduler, forward.buffer_pkts) == (None, 120)
    assert (scenario.routers[0].queues, scenario.routers[0].classes) == (1, ())
    assert list(scenario.routers[0].profiles) == ["bottleneck.ab"]


@pytest.mark.parametrize(("minth", "buffer"), [(1, 8), (8, 64)])
def test_mf(minth, buffer):
    scenario = first("P3.1", scheme="mecn", n=5, minth=minth)
    bottleneck = scenario.links[0]
    assert (bottleneck.delay_s, bottleneck.ab.rate_bps, bottleneck.ab.buffer_pkts) == (0.040, 1.5e6, buffer)
    assert {(link.delay_s, link.ab.rate_bps) for link in links_of(scenario, "servers")} == {(0.002, 10e6)}
    assert {(link.delay_s, link.ab.rate_bps) for link in links_of(scenario, "clients")} == {(0.004, 10e6)}
    profile = profile_of(scenario)
    thresholds = [each.in_pkts(1000) for each in (profile.minth, profile.midth, profile.maxth)]
    assert thresholds == [minth, 2 * minth, 4 * minth]
    assert scenario.stacks["scheme"].recovery == "reno"


def test_mw():
    """25 on-off UDP sources, 30 web clients and a server, 5 FTP."""
    scenario = first("P3.4", minth=3)
    kinds = [source.kind for source in scenario.sources]
    assert (kinds.count("on_off"), kinds.count("ftp"), kinds.count("web")) == (25, 5, 1)
    web = next(source for source in scenario.sources if source.kind == "web")
    assert (len(web.servers), len(web.clients)) == (1, 30)


def test_mp():
    """Five flows enter at each router but the last, all leave at the last; each link has the profile."""
    scenario = first("P3.5", scheme="mecn", pmax=0.1, minth=3)
    assert [router.name for router in scenario.routers] == ["r1", "r2", "r3", "r4"]
    assert [list(router.profiles) for router in scenario.routers] == [["hop1.ab"], ["hop2.ab"], ["hop3.ab"], []]
    ends = [(source.group, source.from_.rstrip("0123456789"), source.to) for source in scenario.sources]
    assert len(ends) == 15
    attached = {link.b: link.a for link in scenario.links}
    entered = [attached[source.from_] for source in scenario.sources]
    assert [entered.count(name) for name in ("r1", "r2", "r3")] == [5, 5, 5]
    assert {attached[source.to] for source in scenario.sources} == {"r4"}


def test_g1():
    labels = {"delay": "25ms", "linterm": 5, "maxth": 120, "wq": 0.02, "sessions": 6, "file_bytes": 10_000, "cbr": 0.25}
    scenario = first("P4.1", scheme="ecn", **labels)
    bottleneck = scenario.links[0]
    assert (bottleneck.delay_s, bottleneck.ab.rate_bps, bottleneck.ab.buffer_pkts) == (0.025, 512e3, 200)
    assert bottleneck.ba == bottleneck.ab
    assert [list(router.profiles) for router in scenario.routers] == [["bottleneck.ab"], ["bottleneck.ba"]]
    profile = profile_of(scenario)
    assert (str(profile.minth), str(profile.maxth), profile.maxp, profile.wq) == ("10pkts", "120pkts", 0.2, 0.02)
    pairs = [(source.kind, source.from_, source.to) for source in scenario.sources]
    assert pairs == [("files", "ftp0", "ftp3")] * 6 + [("files", "ftp0", "ftp4")] * 6 + [("cbr", "ftp0", "ftp3")]
    stack = scenario.stacks["scheme"]
    assert (stack.recovery, stack.segment_bytes, stack.handshake) == ("sack", 1492, True)
    cbr = scenario.sources[-1]
    assert (cbr.rate_bps, cbr.packet_bytes, cbr.on_s, cbr.off_s) == (128_000, 100, 10, 10)
    assert all(source.start_s <= 0.5 for source in scenario.sources)


def test_g1_without_udp():
    scenario = first("P4.1", scheme="red", sessions=12, cbr=0)
    assert [source.kind for source in scenario.sources] == ["files"] * 24
    assert scenario.routers[0].profiles["bottleneck.ab"].scheme == "red"


def test_g3():
    """Sessions 0-3, 0-4, 3-5, 4-6 and UDP 3-4: the middle link is crossed by most."""
    scenario = first("P4.2", scheme="ecn", sessions=6, cbr=0.25)
    assert [link.name for link in scenario.links[:3]] == ["hop1", "hop2", "hop3"]
    attached = {link.b: int(link.a[1:]) for link in scenario.links}
    crossing = {hop: set() for hop in (1, 2, 3)}
    for source in scenario.sources:
        for hop in range(attached[source.from_], attached[source.to]):
            crossing[hop].add((source.from_, source.to))
    assert crossing == {
        1: {("ftp0", "ftp3"), ("ftp0", "ftp4")},
        2: {("ftp0", "ftp4"), ("ftp3", "ftp5"), ("ftp3", "ftp4")},
        3: {("ftp3", "ftp5"), ("ftp4", "ftp6")},
    }


def fabric(place="hosts", scheme=None, **topology):
    """A scenario with messages among all hosts of a place."""
    messages = {"kind": "messages", "load": 0.5, "message_bytes": 1000}
    setup = {
        "topology": topology,
        "traffic": [{"group": "m", "from": place, "to": place, "source": messages}],
        "scheme": scheme or {"preset": "ecn"},
        "profile": {"minth": "100KB", "maxth": "200KB"},
        "duration": "1ms",
    }
    return Setup.model_validate(setup).scenario(1)


HPCC = {
    "pods": 5,
    "racks": 4,
    "hosts": 16,
    "aggregation": 4,
    "cores": 16,
    "core_links": 4,
    "buffer": "32MB",
    "access_delay": "1us",
    "delay": "1us",
    "core_delay": "1us",
}


@pytest.mark.parametrize(
    ("numbers", "hosts", "tors", "aggregation", "cores", "links"),
    [({}, 64, 8, 8, 4, (16, 16)), (HPCC, 320, 20, 20, 16, (80, 80))],
)
def test_tree(numbers, hosts, tors, aggregation, cores, links):
    """Bolt's network of 64 hosts, and HPCC's of 320."""
    scenario = fabric(kind="tree", **numbers)
    names = [router.name for router in scenario.routers]
    assert len(scenario.hosts) == hosts
    assert [sum(kind in name for name in names) for kind in ("tor", "agg", "core")] == [tors, aggregation, cores]
    lower = [link for link in scenario.links if "-tor" in link.a and "-agg" in link.b]
    upper = [link for link in scenario.links if link.b.startswith("core")]
    access = [link for link in scenario.links if link.name.startswith("to-")]
    assert (len(lower), len(upper), len(access)) == (*links, hosts)
    assert {link.ab.rate_bps for link in lower + upper} == {400e9}
    assert {(link.ab.rate_bps, link.ba.rate_bps) for link in access} == {(100e9, 100e9)}
    assert {link.delay_s for link in scenario.links} == {1e-6 if numbers else 315e-9}
    # No core has more links than another, and none reaches a pod by two aggregation switches of the same place.
    down = {core: [link.a for link in upper if link.b == core] for core in names if core.startswith("core")}
    assert len({len(each) for each in down.values()}) == 1
    assert all(len({agg.split("-")[0] for agg in each}) == len(each) for each in down.values())
    assert scenario.equal_paths == "all"
    # All queues of switches have the profile and the limit, those to hosts too; hosts have as much memory as they need.
    for router in scenario.routers:
        assert list(router.profiles) == list(scenario.ports(router.name))
    limits = {(link.ab.buffer_bytes, link.ab.buffer_pkts) for link in access}
    assert limits == ({(32_000_000, None)} if numbers else {(None, 1000)})
    assert {link.ba.buffer(0) for link in access} == {None}


def test_a_fat_tree_is_a_tree():
    """The links of a fat tree of 4 ports, by hand."""
    scenario = fabric(kind="fat-tree", ports=4)
    upper = {(link.a, link.b) for link in scenario.links if link.b.startswith("core")}
    assert upper == {
        (f"pod{pod}-agg{agg}", f"core{core}") for pod in range(1, 5) for agg, core in ((1, 1), (1, 2), (2, 3), (2, 4))
    }
    lower = {(link.a, link.b) for link in scenario.links if "-edge" in link.a and "-agg" in link.b}
    assert lower == {
        (f"pod{pod}-edge{edge}", f"pod{pod}-agg{agg}") for pod in range(1, 5) for edge in (1, 2) for agg in (1, 2)
    }
    assert len(scenario.hosts) == 16


def test_star_and_leaf_spine():
    star = fabric(
        kind="star",
        hosts=3,
        queues=2,
        classes=[{"dscp": 46, "queue": 1}],
        urgent_dscp=46,
        turns=True,
        shared_buffer="32MB",
    )
    (switch,) = star.routers
    assert [(link.ab.urgent_dscp, link.ba.urgent_dscp) for link in star.links] == [(None, 46)] * 3
    assert [(link.ab.turns, link.ba.turns) for link in star.links] == [(False, True)] * 3
    assert (switch.queues, len(switch.classes), switch.shared_buffer_bytes) == (2, 1, 32_000_000)
    assert list(switch.profiles) == ["to-hosts1.ab", "to-hosts2.ab", "to-hosts3.ab"]
    assert {(link.delay_s, link.ab.rate_bps, link.ab.buffer_pkts) for link in star.links} == {(1.938e-6, 100e9, 1000)}
    leaves = fabric(kind="leaf-spine", leaves=3, spines=2, hosts=4)
    assert [host.name for host in leaves.hosts][:5] == [*(f"leaf1-hosts{n}" for n in range(1, 5)), "leaf2-hosts1"]
    assert list(leaves.routers[0].profiles)[:3] == ["leaf1-spine1.ab", "leaf1-spine2.ab", "to-leaf1-hosts1.ab"]
    assert len(leaves.links) == 3 * 2 + 12


@pytest.mark.parametrize("kind", ["star", "tree", "dumbbell"])
def test_network_cards_run_the_switches_program(kind):
    numbers = {"kind": kind, "nics": True, "buffer": "500pkts"} | ({"urgent_dscp": 46} if kind != "dumbbell" else {})
    place = "left" if kind == "dumbbell" else "hosts"
    scenario = fabric(place, **numbers)
    plain = fabric(place, **numbers | {"nics": False})
    assert len(scenario.routers) == len(plain.routers) + len(scenario.hosts)
    links = {link.b: link for link in scenario.links if link.name.startswith("to-")}
    for host in scenario.hosts:
        assert host.nic == f"{host.name}-nic"
        assert scenario.ports(host.nic) == {f"to-{host.name}.ba": 1}
        assert list(scenario.router(host.nic).profiles) == [f"to-{host.name}.ba"]
        out = links[host.name].ba
        assert (out.urgent_dscp, out.buffer_pkts) == (None, 500)
    # The rest is as without cards, and so are the schemes that have none.
    assert [link.model_copy(update={"ba": None}) for link in scenario.links[-8:]] == [
        link.model_copy(update={"ba": None}) for link in plain.links[-8:]
    ]
    assert scenario.routers[: len(plain.routers)] == plain.routers
    without = fabric(place, scheme={"preset": "ecn", "nics": False}, **numbers)
    assert without == plain
    assert {host.nic for host in plain.hosts} == {None}


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"kind": "leaf-spine", "nics": True}, "Extra inputs are not permitted"),
        ({"kind": "star", "nics": "some"}, "Input should be a valid boolean"),
        ({"kind": "tree", "core_links": 5}, "an aggregation switch has a link to each of 4 cores at most"),
        ({"kind": "tree", "aggregation": 1}, "the 2 links of a pod do not reach all 4 cores"),
        ({"kind": "tree", "pods": 200, "racks": 2}, "400 racks in all, 200 are the most"),
        ({"kind": "tree", "pods": 20, "racks": 10, "hosts": 100}, "20000 hosts in all, 4096 are the most"),
        ({"kind": "tree", "hosts": 505, "racks": 1, "aggregation": 8}, "a switch has 513 ports, 509 are the most"),
        ({"kind": "star", "shared_buffer": "1000pkts"}, "ports share bytes, such as 32MB, and no packets"),
        ({"kind": "star", "hosts": 1}, "greater than or equal to 2"),
        ({"kind": "star", "classes": [{"dscp": 46, "queue": 1}]}, "there are 1 queues, from 0 on"),
    ],
)
def test_faults_of_fabrics(numbers, message):
    with pytest.raises(ValidationError, match=message):
        fabric(**numbers)


@pytest.mark.parametrize("name", ["hosts/", "hosts/2-", "hosts/-2", "hosts/2-5-7", "hosts/0", "hosts/17", "hosts/5-2"])
def test_parts_of_a_place_are_whole_numbers_of_its_hosts(name: str) -> None:
    with pytest.raises(ValueError, match="host"):
        Star().network().fixed_hosts(name)


def test_a_core_has_the_links_of_all_pods() -> None:
    """Five links of each pod share two cores, so three of them end at the first."""
    with pytest.raises(ValidationError, match="a switch has 600 ports"):
        Tree(pods=200, racks=1, hosts=1, aggregation=5, cores=2, core_links=1)
