# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The workloads, and the faults of their files."""

import pytest
from defined import SMALL, small
from quench.errors import ConfigError
from quench_experiments.definition import workloads
from quench_experiments.simulation.source import mean

MEANS = {
    "websearch": 1711250,
    "fb-hdp": 120421,
    "google-rpc-like": 2892,
    "rpc-read-batch-like": 710251,
    "rpc-read-like": 947951,
}
"""The means of their sources, or of what approximates them."""


def test_every_workload_has_its_mean():
    assert workloads.names() == sorted(MEANS)
    for name, expected in MEANS.items():
        assert mean(workloads.workload(name)) == pytest.approx(expected, rel=1e-3)


def test_the_mean_of_steps_is_that_of_their_values():
    steps = {"distribution": "points", "between": "steps", "points": [[50, 0], [80, 25], [900, 100]]}
    assert mean(steps) == 0.25 * 80 + 0.75 * 900
    assert mean({**steps, "between": "linear"}) == 0.25 * 65 + 0.75 * 490


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("[20, 100]", "[20, 99]", "6:20", "rises to 99 %, not to 100 %"),
        ("[10, 50]", "[30, 50]", "6:20", "20 is less than 30 before it"),
        ("[10, 50]", "[10, 101]", "6:10", "101 % is more than 100 %"),
        ("[10, 50]", "[10]", "6:10", "Field required"),
        ("linear", "straight", "5:10", "Input should be 'linear' or 'steps'"),
        ("[[10, 50], [20, 100]]", "[]", "6:9", "List should have at least 1 item"),
        ("title: T", "name: T", "1:1", "Field required"),
    ],
)
def test_a_fault_has_its_place(tmp_path, monkeypatch, old, new, place, message):
    text = "title: T\nsource: >-\n  A paper of somebody.\n\nbetween: linear\npoints: [[10, 50], [20, 100]]\n"
    path = tmp_path / f"w{abs(hash((old, new)))}.yaml"
    path.write_text(text.replace(old, new))
    monkeypatch.setattr(workloads, "WORKLOADS", tmp_path)
    with pytest.raises(ConfigError) as caught:
        workloads.load(path.stem)
    assert str(caught.value).startswith(f"{path}:{place}: "), str(caught.value)
    assert message in str(caught.value)


STAR = ("topology: {kind: n1, delay: $delay}", "topology: {kind: star, hosts: $n, access_delay: 1us}")
TRAFFIC = (
    "{group: test, from: hosts, to: hosts, source: {kind: messages, load: 0.5, message_bytes: {workload: fb-hdp}}}"
)


def star(tmp_path, traffic=TRAFFIC, *changes):
    lines = SMALL.splitlines()
    groups = [line for line in lines if line.startswith("  - {group:")]
    plain, test = groups
    return small(
        tmp_path,
        STAR,
        (f"{plain}\n{test}", f"  - {traffic}"),
        ("group.test.goodput_bps, over: group.plain.goodput_bps", "group.test.slowdown_p99, over: all.slowdown_p50"),
        ("sweep: {delay: [40ms, 250ms], n: [4, 8]}", "sweep: {delay: [1, 2], n: [4, 8]}"),
        ("delay: 40ms", "delay: 1"),
        *changes,
    )


def test_a_group_of_messages_is_among_all_hosts(tmp_path):
    run = star(tmp_path).runs(seeds=1)[0]
    (source,) = run.scenario.sources
    assert source.sending == source.receiving == ("hosts1", "hosts2", "hosts3", "hosts4")
    assert source.settings["message_bytes"] == workloads.workload("fb-hdp")
    (switch,) = run.scenario.routers
    assert list(switch.profiles) == [f"to-hosts{number}.ab" for number in range(1, 5)]


@pytest.mark.parametrize(
    ("traffic", "message"),
    [
        (
            ("fb-hdp", "hadoop"),
            "there is no workload 'hadoop': there is fb-hdp, google-rpc-like, rpc-read-batch-like, rpc-read-like, "
            "websearch",
        ),
        (("fb-hdp", "../papers/P1.B"), "there is no workload '../papers/P1.B'"),
        (("{workload: fb-hdp}", "{workload: fb-hdp, mean: 3}"), "a workload's name stands alone"),
        (("load: 0.5", "load: 1.5"), "source.load: is 1.5000 of the rate of the senders' links: must be 1 or less"),
        (("to: hosts", "to: hosts/9"), "9 is not within the hosts 1-4"),
        (("to: hosts", "to: hosts/x"), "'x' is neither a host's number nor two of them such as 2-5"),
        (("from: hosts", "from: hosts/1"), "no fault"),
        (("from: hosts, to: hosts", "from: hosts/1, to: hosts/1"), 'source.senders: "hosts1" cannot send to itself'),
        (("kind: messages, load: 0.5", "kind: incast, degree: 9"), "degree: must be 3 or less, the hosts that can"),
        (("kind: messages, load: 0.5", "kind: incast, degree: 2, senders: [a]"), "belongs to the group"),
    ],
)
def test_faults_of_messages_in_an_experiment(tmp_path, traffic, message):
    assert traffic[0] in TRAFFIC
    if message == "no fault":
        assert star(tmp_path, TRAFFIC.replace(*traffic)).key == "small"
        return
    with pytest.raises(ConfigError) as caught:
        star(tmp_path, TRAFFIC.replace(*traffic))
    line = str(caught.value).splitlines()[0]
    assert line.startswith(f"{tmp_path}/small.yaml:10:"), line
    assert message in line


HOSTS = "rate_bps: 1.0e+11, base_rtt_s: 8.0e-6, initial_window_bytes: 100000, segment_bytes: 1459"
BOLT = f"{{bolt: {{program: bolt, profile: {{$SETTINGS}}, stack: {{{HOSTS}}}}}}}"


@pytest.mark.parametrize(
    ("settings", "star_changes", "message"),
    [
        ("cap: 100B", "", "cap: 100B is 100, less than mtu, 1500"),
        ("most_pru: 70000", "", "most_pru: 70000 is 70000, more than 65535"),
        ("src: [1]", "", "src: [1] is no switch: write on or off"),
        ("thr: 90MB", "", "to-hosts1.ab: thr: 90MB is 90000000, more than the port's buffer, 1500000"),
        ("thr: 4KB", ", access_rate: 30Gbps", "to-hosts1.ab: the port has 30000000000 bit/s: Bolt has 10Gbps, 25Gbps"),
        ("thr: 90KB", ", buffer: 60KB", "to-hosts1.ab: thr: 90KB is 90000, more than the port's buffer, 60000"),
        ("cap: 268435456B", "", "cap: 268435456B is 268435456, more than 268435455"),
        ("thr: 90KB", "", "no fault"),
    ],
)
def test_settings_that_the_ports_of_a_network_cannot_have_are_one_line(tmp_path, settings, star_changes, message):
    changes = (
        ("schemes: {ecn: , becn: }", f"schemes: {BOLT.replace('$SETTINGS', settings)}"),
        ("access_delay: 1us", f"access_delay: 1us{star_changes}"),
        ("scheme: becn, ", "scheme: bolt, "),
        ("profile: {minth: 15KB, maxth: 45KB, mark_at: tail}", "profile: {}"),
    )
    if message == "no fault":
        assert star(tmp_path, TRAFFIC, *changes).key == "small"
        return
    with pytest.raises(ConfigError) as caught:
        star(tmp_path, TRAFFIC, *changes)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"{tmp_path}/small.yaml:11:"), line
    assert f": schemes.bolt.profile: {message}" in line
    column = int(line.removeprefix(f"{tmp_path}/small.yaml:11:").partition(":")[0])
    text = (tmp_path / "small.yaml").read_text().splitlines()[10]
    assert text[column - 1 :].startswith(f"{{{settings}}}")


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        ("0", "0 bins: 1 to 1000 are possible"),
        ("1001", "1001 bins: 1 to 1000 are possible"),
        ("true", "True is no whole number: write a number of bins, or a list of their upper edges"),
        ("1.5", "1.5 is no whole number"),
        (".nan", "nan is no whole number"),
        ("ten", "'ten' is no whole number"),
        ("[5, 3]", "the edges must rise, from 1 byte on"),
        ("[0, 3]", "the edges must rise, from 1 byte on"),
        ("[5, true]", "True is no whole number"),
        ("[]", "0 edges: give 1 to 1000"),
    ],
)
def test_wrong_bins_are_one_line(tmp_path, bins, message):
    with pytest.raises(ConfigError) as caught:
        star(tmp_path, TRAFFIC, ("quick: {seeds: 2", f"measure: {{size_bins: {bins}}}\nquick: {{seeds: 2"))
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"{tmp_path}/small.yaml:16:22: measure.size_bins: {message}"), line


@pytest.mark.parametrize(("bins", "kept"), [("$n / 2", 2), ("[5, $n * 2]", (5, 8))])
def test_bins_may_be_swept(tmp_path, bins, kept):
    runs = star(tmp_path, TRAFFIC, ("quick: {seeds: 2", f"measure: {{size_bins: {bins}}}\nquick: {{seeds: 2")).runs()
    assert runs[0].scenario.measure.size_bins == kept


def test_a_figure_by_size_needs_bins(tmp_path):
    figure = "  - {name: sizes, title: S, kind: sizes, y: all.slowdown_p99, at: {delay: 1, n: 4}}"
    first = ("figures:\n", f"figures:\n{figure}\n")
    with pytest.raises(ConfigError, match=r"figures.0.y: no run has a metric 'all.size.1.slowdown_p99': give"):
        star(tmp_path, TRAFFIC, first)
    bins = ("quick: {seeds: 2", "measure: {size_bins: 5}\nquick: {seeds: 2")
    assert star(tmp_path, TRAFFIC, first, bins).figures[0].kind == "sizes"
