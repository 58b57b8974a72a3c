# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages: their times by hand on each topology, percentiles and bins against simple models, threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quench_experiments.definition.setup import Setup
from quench_experiments.simulation.metrics import depth_percentiles
from quench_experiments.simulation.names import PERCENTILES
from quench_experiments.simulation.run import simulate
from quench_experiments.simulation.stack import Stack

WINDOW = Stack.model_validate(
    {"transport": "fixed-window", "window_pkts": 1000, "segment_bytes": 1460, "timeout_s": 0.01}
)
SHORT = {"access_rate": "10Gbps", "access_delay": "1us"}
STAR = {"kind": "star", "hosts": 4, **SHORT}
LEAVES = {"kind": "leaf-spine", "leaves": 2, "spines": 2, "hosts": 2, "rate": "40Gbps", "delay": "2us", **SHORT}
TREE = {
    "kind": "tree",
    "hosts": 2,
    "rate": "40Gbps",
    "delay": "2us",
    "core_rate": "100Gbps",
    "core_delay": "3us",
    **SHORT,
}
DUMBBELL = {
    "kind": "dumbbell",
    "rate": "10Gbps",
    "delay": "3us",
    "source_rate": "40Gbps",
    "source_delay": "1us",
    "sink_rate": "20Gbps",
    "sink_delay": "2us",
}
NS_PER_BYTE = {"10": 0.8, "20": 0.4, "40": 0.2, "100": 0.08}


def scenario(topology, traffic, stack=WINDOW, **fields):
    values = {
        "topology": topology,
        "traffic": [{"group": "m", **traffic}],
        "scheme": {"preset": "taildrop"},
        "duration": "1ms",
        **fields,
    }
    return Setup.model_validate(values).scenario(1).model_copy(update={"stacks": {"scheme": stack}})


def incast(sender, receiver, bytes_, degree=1):
    source = {"kind": "incast", "degree": degree, "message_bytes": bytes_}
    return {"from": sender, "to": receiver, "source": source}


@pytest.mark.parametrize(
    ("topology", "sender", "receiver", "delay_us", "rates"),
    [
        (STAR, "hosts/1", "hosts/2", 2, ("10", "10")),
        (LEAVES, "leaf1-hosts/1", "leaf1-hosts/2", 2, ("10", "10")),
        (LEAVES, "leaf1-hosts/1", "leaf2-hosts/2", 6, ("10", "40", "40", "10")),
        (TREE, "pod1-tor1-hosts/1", "pod1-tor2-hosts/1", 6, ("10", "40", "40", "10")),
        (TREE, "hosts/1", "hosts/16", 12, ("10", "40", "100", "100", "40", "10")),
    ],
)
@pytest.mark.parametrize("packets", [1, 3, 40])
def test_one_message_by_hand(topology, sender, receiver, delay_us, rates, packets):
    """Packets wait for one another at the first link only, so the last one and its ACK pass all others."""
    result = simulate(scenario(topology, incast(sender, receiver, 1460 * packets)))
    per_byte = [NS_PER_BYTE[rate] for rate in rates]
    there = 1500 * packets * per_byte[0] + 1500 * sum(per_byte[1:]) + delay_us * 1000
    back = 40 * sum(per_byte) + delay_us * 1000
    table = result.records["messages"]
    # Each transmission ends at a nanosecond of the clock.
    assert table["time_s"][0] * 1e9 == pytest.approx(there + back, abs=2 * len(rates))
    ideal = 2000 * delay_us + 1500 * sum(per_byte) + 1500 * packets * max(per_byte)
    assert there + back < ideal
    assert result.metrics()["group.m.slowdown_p50"] == 1.0
    assert result.metrics()["group.m.messages_unfinished"] == 0


@pytest.mark.parametrize(("transport", "header", "ack"), [("bolt", 41, 41), ("hpcc", 83, 83), ("swift", 40, 40)])
def test_the_headers_of_a_transport_count(transport, header, ack):
    """Three full packets of 1500 bytes whatever the header is, within one window."""
    fields = {"rate_bps": 10e9, "base_rtt_s": 10e-6, "segment_bytes": 1500 - header}
    stack = Stack.model_validate({"transport": transport, **fields})
    result = simulate(scenario(STAR, incast("hosts/1", "hosts/2", 3 * (1500 - header)), stack))
    time_us = result.records["messages"]["time_s"][0] * 1e6
    assert time_us == pytest.approx(4 * 1.2 + 2 + 2 * ack * 0.0008 + 2, abs=0.02)
    (slowdown,) = result.records["messages"]["slowdown"]
    assert slowdown == 1.0
    # A third of the payload with the same packets: only the headers make the difference.
    small = Stack.model_validate({"transport": transport, **fields, "segment_bytes": 500 - header})
    many = simulate(scenario(STAR, incast("hosts/1-2", "hosts/3", 6 * (500 - header), degree=2), small))
    last_us = 0.4 + 12 * 0.4 + 2 + 2 * ack * 0.0008 + 2
    ideal_us = 4 + 2 * 0.4 + 6 * 0.4
    assert max(many.records["messages"]["slowdown"]) == pytest.approx(last_us / ideal_us, abs=5e-3)


def test_a_slowdown_by_hand():
    """Two messages of three packets meet at the switch's port, where the last of six leaves six packets later."""
    result = simulate(scenario(STAR, incast("hosts/1-2", "hosts/3", 3 * 1460, degree=2)))
    last_us = 1.2 + 6 * 1.2 + 2 + 2 * 0.032 + 2
    ideal_us = 4 + 2 * 1.2 + 3 * 1.2
    assert max(result.records["messages"]["slowdown"]) == pytest.approx(last_us / ideal_us, abs=1e-3)


def test_a_dumbbell_is_as_wide_as_its_narrowest_link():
    """1000 packets at 10 Gb/s, behind a link of 40 and before one of 20: the first two are the links' own."""
    result = simulate(scenario(DUMBBELL, incast("left", "right", 1_460_000), duration="2ms"))
    there_us = 1.5 * 0.2 + 1000 * 1.2 + 1.5 * 0.4 + 6
    back_us = 0.04 * (0.2 + 0.8 + 0.4) + 6
    assert result.records["messages"]["time_s"][0] * 1e6 == pytest.approx(there_us + back_us, abs=0.01)
    assert result.metrics()["all.slowdown_p99"] == 1.0


MANY = {
    "from": "hosts",
    "to": "hosts",
    "source": {"kind": "messages", "load": 0.6, "message_bytes": {"workload": "fb-hdp"}},
}
TCP = Stack.model_validate({"algorithm": "ecn", "initial_rto_s": 0.001, "min_rto_s": 0.001, "clock_s": 0})


@pytest.fixture(scope="module")
def many():
    """Messages among four hosts: some are unfinished at the end."""
    measure = {"size_bins": 4, "queues": ["to-hosts1.ab", "to-hosts2.ab", "to-hosts3.ba"]}
    return simulate(scenario(STAR, MANY, TCP, duration="5ms", measure=measure))


def test_metrics_are_those_of_the_records(many):
    table, metrics = many.records["messages"], many.metrics()
    lost = np.isnan(table["time_s"])
    assert 0 < lost.sum() < len(lost) > 100
    assert metrics["group.m.messages"] == metrics["source.m.messages"] == metrics["all.messages"] == len(lost)
    assert metrics["all.messages_unfinished"] == lost.sum()
    assert metrics["all.message_bytes_unfinished"] == table["bytes"][lost].sum()
    assert metrics["all.slowdown_p99"] == pytest.approx(np.percentile(table["slowdown"][~lost], 99))
    assert metrics["all.message_time_p50_s"] == pytest.approx(np.median(table["time_s"][~lost]))
    assert min(table["slowdown"][~lost]) >= 1
    assert set(table["from"]) == set(table["to"]) == {0, 1, 2, 3}
    assert not any(table["from"] == table["to"])


def test_bins_are_equal_shares_of_all_messages(many):
    table, metrics = many.records["messages"], many.metrics()
    in_order = np.argsort(table["bytes"], kind="stable")
    for number, rows in enumerate(np.array_split(in_order, 4), 1):
        found = {name.rpartition(".")[2]: value for name, value in metrics.items() if f"group.m.size.{number}." in name}
        slowdowns = [table["slowdown"][row] for row in rows if not np.isnan(table["time_s"][row])]
        assert found["size_bytes"] == max(table["bytes"][rows])
        assert found["messages"] == len(rows)
        assert found["messages_unfinished"] == len(rows) - len(slowdowns)
        assert found["slowdown_p95"] == pytest.approx(np.percentile(slowdowns, 95))


def test_bins_by_their_edges(many):
    table = many.records["messages"]
    edges = (350, 1000, 50_000)
    measure = many.scenario.measure.model_copy(update={"size_bins": edges})
    again = simulate(many.scenario.model_copy(update={"measure": measure})).metrics()
    low = 0
    for number, high in enumerate((*edges, 1 << 60), 1):
        within = (table["bytes"] > low) & (table["bytes"] <= high)
        assert again[f"all.size.{number}.messages"] == within.sum()
        low = high


def test_queue_percentiles_lie_within_what_else_is_known_of_the_queue(many):
    for name in many.scenario.measure.queues:
        link = many.link(name)
        of_time = [link[f"queue_{each}_bytes"] for each in PERCENTILES]
        of_changes = [link[f"queue_change_{each}_bytes"] for each in PERCENTILES]
        assert of_time == sorted(of_time)
        assert of_changes == sorted(of_changes)
        assert of_changes[-1] <= link["queue_max_bytes"] <= of_changes[-1] * 1.5 + 1500
    assert "queue_p50_bytes" not in many.link("to-hosts4.ab")
    assert many.metrics()["network.queue_change_p50_bytes"] >= 0


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.lists(
            st.tuples(st.integers(0, 100_000), st.integers(0, 50), st.integers(0, 9)),
            min_size=1,
            unique_by=lambda w: w[0],
        ),
        min_size=1,
        max_size=3,
    )
)
def test_percentiles_of_depths_are_those_of_a_list_of_all_moments(queues):
    raw = [
        {"depths": dict(zip(("bytes", "lasted_ns", "changes"), np.array(sorted(each), dtype=np.uint64).T, strict=True))}
        for each in queues
    ]
    found = depth_percentiles(raw)
    for by, column in (("", 1), ("change_", 2)):
        moments = sorted(weighed[0] for each in queues for weighed in each for _ in range(weighed[column]))
        for name, percent in PERCENTILES.items():
            if not moments:
                assert f"queue_{by}{name}_bytes" not in found
                continue
            place = next(place for place in range(len(moments)) if (place + 1) * 100 >= percent * len(moments) - 1e-7)
            assert found[f"queue_{by}{name}_bytes"] == moments[place]


def test_queues_without_depths_have_no_percentiles():
    assert depth_percentiles([{}, {}]) == {}


def test_threads_change_nothing():
    """20 switches are cells of their own; all hosts are one."""
    values = scenario(TREE, MANY, TCP, duration="1ms", measure={"size_bins": 3, "queues": ["pod1-tor1-agg1.ab"]})
    one, three = (simulate(values, threads=count) for count in (1, 3))
    assert one.metrics() == three.metrics()
    assert one.metrics()["all.messages"] > 50
    for name, column in one.records["messages"].items():
        assert np.array_equal(column, three.records["messages"][name], equal_nan=name in ("time_s", "slowdown")), name
