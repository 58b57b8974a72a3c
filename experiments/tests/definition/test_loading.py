# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Faults of a file: one line each, with file, line and column."""

import re
from pathlib import Path

import pytest
from defined import SMALL, small
from quench.errors import ConfigError
from quench_experiments.definition import keys, load
from quench_experiments.errors import ExperimentError

FAULTS = {
    "no mapping": ((SMALL, "[]\n"), "1:1", "an experiment is a mapping"),
    "not YAML": (("sweep: {delay", "sweep: {{delay"), "14:", ""),
    "a key twice": (("warmup: 5s", "duration: 5s"), "16:1", "'duration' is given twice"),
    "unknown key": (("warmup: 5s", "warm_up: 5s"), "16:10", "warm_up: Extra inputs are not permitted"),
    "no sentence": (
        ('["There is no paper to read anything into."]', '["None."]'),
        "5:12",
        "readings.0: String should have at least 10 characters",
    ),
    "unknown scheme": (("{ecn: , becn: }", "{ecn: , bcn: }"), "12:22", "there is no scheme 'bcn'"),
    "a scheme's bad threshold": (
        ("becn: }", "becn: {profile: {minth: 50KB}} }"),
        "12:34",
        "minth (50KB) must be less than maxth",
    ),
    "unknown setting": (("mark_at: tail", "markat: tail"), "7:45", "no scheme has a setting 'markat'"),
    "bad unit": (("15KB", "15KX"), "7:18", "profile.minth: '15KX' has no known unit"),
    "unknown topology": (("kind: n1", "kind: n9"), "6:11", "topology: Input tag 'n9'"),
    "unknown parameter": (("kind: n1,", "kind: n1, speed: 1,"), "6:29", "speed: Extra inputs are not permitted"),
    "unknown place": (
        ("to: clients, start: [0s, 5s], stack", "to: sinks, start: [0s, 5s], stack"),
        "10:5",
        "there is no place 'sinks'",
    ),
    "unknown stack": (("stack: plain,", "stack: tahoe,"), "10:", "there is no stack 'tahoe'"),
    "unknown source": (
        ("stack: plain, source: {kind: ftp}", "stack: plain, source: {kind: gopher}"),
        "10:",
        'source.kind: must be ftp, files, web, cbr, on_off, voip, messages or incast, not "gopher"',
    ),
    "a source's setting": (
        ("stack: plain, source: {kind: ftp}", "stack: plain, source: {kind: ftp, port: 21}"),
        "10:",
        "source.port: unknown field `port`, expected one of `name`",
    ),
    "unknown variable": (
        (
            "count: $n / 2, from: servers, to: clients, start: [0s, 5s], stack",
            "count: $m / 2, from: servers, to: clients, start: [0s, 5s], stack",
        ),
        "10:27",
        "nothing is swept by the name 'm'",
    ),
    "half a flow": (("n: [4, 8]", "n: [4, 8, 9]"), "10:", "count: Input should be a valid integer"),
    "reserved axis": (("n: [4, 8]", "seed: [4, 8]"), "13:", "'seed' is a label of every run"),
    "a column's name": (("n: [4, 8]", "run: [4, 8]"), "13:", "'run' is a label of every run"),
    "a value twice": (("n: [4, 8]", "n: [4, 8, 8]"), "13:", "a value is given twice"),
    "quick's own value": (("sweep: {n: [8]}}", "sweep: {n: [9]}}"), "17:", "9 is not among the values of 'n'"),
    "warm-up too long": (("warmup: 5s", "warmup: 25s"), "16:9", "the warm-up ends before the run does"),
    "quick's warm-up": (("duration: 10s", "duration: 4s"), "16:9", "the warm-up ends before the run does"),
    "no tolerance": ((" tolerance: {absolute: 1},", ""), "21:", "a quoted value has a tolerance"),
    "nothing to judge by": (
        ("value: 10, tolerance: {absolute: 1}, above: 0, ", ""),
        "21:",
        "give a value and its tolerance, or a direction",
    ),
    "no expression": (
        ("metric: gain, at", "metric: {median: gain}, at"),
        "21:",
        "not a metric's name, a number, or a mapping",
    ),
    "an open label": (
        ("at: {scheme: becn, delay: 40ms, n: 8}", "at: {scheme: becn, n: 8}"),
        "21:",
        "delay is left open (40ms, 250ms)",
    ),
    "no such run": (("n: 8}}", "n: 9}}"), "21:", "no run has scheme becn, delay 40ms, n 9"),
    "unknown axis": (("x: n, y", "x: m, y"), "23:", "runs have no label 'm'"),
    "a figure's open label": (("y: gain, at: {delay: 40ms}", "y: gain"), "23:", "delay is left open"),
    "a metric of itself": (
        ("over: group.plain.goodput_bps", "over: gain"),
        "19:",
        "metrics.gain.value: a metric is made of itself: 'gain' of 'gain'",
    ),
    "a metric of itself by another": (
        ("over: group.plain.goodput_bps}}", "over: other}}\n  other: {title: Other, value: {sum: [1, gain]}}"),
        "19:",
        "metrics.gain.value: a metric is made of itself: 'gain' of 'other' of 'gain'",
    ),
    "a metric of too many others": (
        (
            "over: group.plain.goodput_bps}}",
            "over: group.plain.goodput_bps}}"
            + "".join(f"\n  m{i}: {{title: M, value: {{sum: [m{i + 1}, m{i + 2}]}}}}" for i in range(40))
            + "".join(f"\n  m{i}: {{title: M, value: gain}}" for i in (40, 41)),
        ),
        "",
        "value: a metric may stand for 10000 others at most, in chains of 50",
    ),
    "a long chain of metrics": (
        (
            "over: group.plain.goodput_bps}}",
            "over: group.plain.goodput_bps}}"
            + "".join(f"\n  m{i}: {{title: M, value: {{sum: [m{i + 1}]}}}}" for i in range(1500))
            + "\n  m1500: {title: M, value: gain}",
        ),
        "",
        "value: a metric may stand for 10000 others at most, in chains of 50",
    ),
    "a sweep without end": (
        ("n: [4, 8]", "n: [4, 8], " + ", ".join(f"{axis}: [0,1,2,3,4,5,6,7,8,9]" for axis in "abcdefghijkl")),
        "13:8",
        "sweep: 8000000000000 combinations with the schemes: 10000 are the most",
    ),
    "a value that no line can show": (("n: [4, 8]", 'n: ["4\\n5"]'), "13:35", "sweep.n.0: leave out characters"),
    "more runs than a plan has": (("seeds: 3", "seeds: 9999"), "14:8", "seeds: 79992 runs: 20000 are the most"),
    "a seed twice": (("seeds: 3", "seeds: [1, 1]"), "14:8", "seeds: a seed is given twice"),
    "a long number": (("duration: 20s", f"duration: $1{'0' * 310} s"), "15:11", "has no finite value"),
    "a long sum": (
        ("duration: 20s", f"duration: ${'+'.join(['n'] * 990)} s"),
        "15:11",
        "is neither a name nor arithmetic such as $n / 2",
    ),
    "a truth in arithmetic": (("duration: 20s", "duration: $True s"), "15:11", "is neither a name nor arithmetic"),
    "thresholds that contradict at the port's rate": (
        ("minth: 15KB, maxth: 45KB", "minth: 15ms, maxth: 5ms"),
        "7:10",
        "profile: bottleneck.ab: minth (18.75KB) must be less than maxth",
    ),
    "no source": (
        ("count: $n / 2, from", "count: 0, from"),
        "10:3",
        "traffic: no group has a source: give one a count of 1 or more",
    ),
    "a program that is not there": (
        ("becn: }", "becn: {program: nope} }"),
        "12:34",
        "schemes.becn.program: there is no program 'nope': give a file, or one of bolt, csig, dualpi2, hpcc",
    ),
    "a series of no link": (
        ("seeds: 3", "seeds: 3\nmeasure: {series: [bottleneck.ab, neck.ab]}"),
        "15:35",
        "measure.series.1: there is no direction 'neck.ab'",
    ),
    "a time series of more than a name": (
        ("x: n, y: gain", "kind: time, series: null, y: {scaled: gain, by: 2}"),
        "23:",
        "figures.0.y: the y of a time series is its name",
    ),
    "a negative time": (("warmup: 5s", "warmup: -5s"), "16:9", "warmup: '-5s' is not a quantity"),
    "a start before the beginning": (
        ("start: [0s, 5s], stack", "start: [-1s, 5s], stack"),
        "10:",
        "start.0: '-1s' is not a quantity",
    ),
    "an endless time": (("duration: 20s", "duration: .inf"), "15:11", "duration: inf has no unit"),
    "a latency without end": (
        ("seeds: 3", "seeds: 3\nisq: {latency: 1e10s}"),
        "15:16",
        "isq.latency: '1e10s' is more than Quench can count",
    ),
    "a negative delay": (("kind: n1, delay: $delay", "kind: n1, delay: -1s"), "6:", "delay: '-1s' is not a quantity"),
    "no buffer": (("kind: n1,", "kind: n1, buffer: 0,"), "6:30", "buffer: 0pkts is no size of a buffer"),
    "too much work": (
        ("duration: 20s", "duration: 1e9s"),
        "15:11",
        "duration: a run has about 5e+12 packets",
    ),
    "too many seeds": (("seeds: 3", "seeds: 1000000000000"), "14:8", "seeds: 1000000000000 seeds: 1 is the least"),
    "seeds in words": (("seeds: 3", "seeds: three"), "14:8", "seeds: Input should be a valid list"),
    "no seeds": (("seeds: 3", "seeds: 0"), "14:8", "seeds: 0 seeds: 1 is the least"),
    "too many flows": (("n: [4, 8]", "n: [4, 8, 1000000]"), "10:", "count: Input should be less than 65536"),
    "parameters that are none": (
        ("preset: ns2-2001", "preset: ns2-2001, parameters: [beta]"),
        "8:",
        "stack.parameters: invalid type: sequence, expected a map",
    ),
    "a kind of source that is no text": (
        ("stack: plain, source: {kind: ftp}", "stack: plain, source: {kind: [ftp]}"),
        "10:",
        "source.kind: Input should be a valid string",
    ),
    "the group's name again": (("group: test", "group: plain"), "11:13", "another group has a source 'plain1', too"),
    "a source's name": (
        ("stack: plain, source: {kind: ftp}", "stack: plain, source: {kind: ftp, name: x}"),
        "10:",
        "source.name: belongs to the group",
    ),
    "arithmetic beyond all numbers": (
        ("count: $n / 2, from", "count: $n * 1e308 * 10, from"),
        "10:",
        "has no finite value",
    ),
    "arithmetic of numbers too large": (
        ("count: $n / 2, from", f"count: $n * {10**400} / 3, from"),
        "10:",
        "has no finite value",
    ),
    "arithmetic without end": (
        ("count: $n / 2, from", f"count: '${'-' * 20000}n', from"),
        "10:",
        "is neither a name nor arithmetic",
    ),
    "a name with a line break": (("ecn: , becn: }", 'ecn: , "b\\ncn": }'), "12:", "should match pattern"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(tmp_path, fault):
    change, place, message = FAULTS[fault]
    with pytest.raises(ConfigError) as caught:
        small(tmp_path, change)
    lines = str(caught.value).splitlines()
    assert all(line.startswith(f"{tmp_path}/small.yaml:") for line in lines), lines
    assert lines[0].startswith(f"{tmp_path}/small.yaml:{place}"), lines
    assert message in lines[0]


MEANT = "group.test.goodput_bps"
FIGURE = "{name: gain, title: Gain, x: n, y: gain, at: {delay: 40ms}}"
MISSPELT = {
    "a column": ("goodput_bps, over", "godput_bps, over", "metrics.gain.value.gain", MEANT),
    "a part": ("{gain: group.test", "{gain: group.tets", "metrics.gain.value.gain", MEANT),
    "a kind of part": ("{gain: group.test", "{gain: grp.test", "metrics.gain.value.gain", MEANT),
    "another's column": (
        "over: group.plain.goodput_bps",
        "over: link.bottleneck.ab.throughput_pps",
        "metrics.gain.value.over",
        "link.bottleneck.ab.throughput_bps",
    ),
    "a queue that is not there": (
        "over: group.plain.goodput_bps",
        "over: link.bottleneck.ab.queue.0.tx_pkts",
        "metrics.gain.value.over",
        "link.bottleneck.ab.tx_pkts",
    ),
    "a quote's metric": ("metric: gain, at", "metric: gian, at", "quotes.0.metric", "gain"),
    "a quote's bound": (
        "above: 0",
        "above: {sum: [1, {metric: group.test.gudput_bps}]}",
        "quotes.0.above.sum.1.metric",
        MEANT,
    ),
    "a figure's y": ("y: gain", "y: gains", "figures.0.y", "gain"),
    "a figure's x": (
        FIGURE,
        "{name: p, title: P, kind: path, x: group.test.delay_mean, y: gain, along: n, at: {delay: 40ms}}",
        "figures.0.x",
        "group.test.delay_mean_s",
    ),
    "a curve's y": (
        FIGURE,
        "{name: c, title: C, x: n, y: gain, at: {delay: 40ms}, curves: [{label: ecn, y: router.r1.packetins}]}",
        "figures.0.curves.0.y",
        "router.r1.packet_ins",
    ),
}


@pytest.mark.parametrize("fault", MISSPELT)
def test_a_misspelt_metric_has_its_place_and_a_near_name(tmp_path, fault):
    old, new, place, meant = MISSPELT[fault]
    with pytest.raises(ConfigError) as caught:
        small(tmp_path, (old, new))
    text = (tmp_path / "small.yaml").read_text().splitlines()
    pattern = r"(.*):(\d+):(\d+): (.*): no run has a metric '(.*)': did you mean '(.*)'\?"
    found = re.fullmatch(pattern, str(caught.value))
    assert found is not None, caught.value
    file, line, column, shown, name, near = found.groups()
    assert (file, shown, near) == (f"{tmp_path}/small.yaml", place, meant)
    assert text[int(line) - 1][int(column) - 1 :].startswith(name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("y: gain", "y: qqqqqq"), "23:40: figures.0.y: no run has a metric 'qqqqqq': docs/reference/simulator.md"),
        # FTP without an end.
        (
            ("y: gain", "y: group.test.file_time_p99_s"),
            "23:40: figures.0.y: no run has a metric 'group.test.file_time_p99_s': sources of kind 'files', and",
        ),
        (
            (FIGURE, "{name: t, title: T, kind: time, y: bottleneck.ab.queue_pkts, at: {delay: 40ms, n: 4}}"),
            "23:40: figures.0.y: no run keeps a time series 'bottleneck.ab.queue_pkts': name its direction under",
        ),
    ],
)
def test_names_that_are_near_nothing(tmp_path, change, message):
    with pytest.raises(ConfigError) as caught:
        small(tmp_path, change)
    assert str(caught.value).startswith(f"{tmp_path}/small.yaml:{message}"), caught.value


def test_a_misspelt_time_series(tmp_path):
    figure = "{name: t, title: T, kind: time, y: bottleneck.ab.queue_pkt, at: {delay: 40ms, n: 4}}"
    with pytest.raises(ConfigError, match=r"figures\.0\.y: .* did you mean 'bottleneck\.ab\.queue_pkts'\?$"):
        small(tmp_path, (FIGURE, figure), ("seeds: 3", "seeds: 3\nmeasure: {series: [bottleneck.ab], cwnd: true}"))


def test_a_metric_of_another_part_only(tmp_path):
    """The runs that a quote takes must have its metric; those of another part do not count."""
    files = "source: {kind: files, file_bytes: 1000, pause_s: 1}"
    part = f"{{traffic: [{{group: f, from: servers, to: clients, {files}}}]}}"
    changes = (
        ("metrics:", f"parts:\n  ftp: {{}}\n  files: {part}\nmetrics:"),
        ("at: {scheme: becn", "at: {part: ftp, scheme: becn"),
        ("at: {delay: 40ms}", "at: {part: ftp, delay: 40ms}"),
    )
    small(tmp_path, *changes)
    with pytest.raises(ConfigError, match=r"no run with part ftp, .* has a metric 'group\.f\.flow_time_p99_9_s'"):
        small(tmp_path, *changes, ("metric: gain", "metric: group.f.flow_time_p99_9_s"))


def test_a_fault_in_a_part_has_its_place_there(tmp_path):
    parts = "parts:\n  one: {}\n  two:\n    profile:\n      minth: 60KB\nmetrics:"
    with pytest.raises(ConfigError) as caught:
        small(tmp_path, ("metrics:", parts))
    assert str(caught.value).startswith(f"{tmp_path}/small.yaml:22:7: parts.two.profile: minth (60KB) must be less")


def test_all_faults_are_reported(tmp_path):
    with pytest.raises(ConfigError) as caught:
        small(tmp_path, ("title: A small experiment", "titel: A small experiment"), ("warmup: 5s", "warm_up: 5s"))
    assert len(str(caught.value).splitlines()) == 3


def test_the_setup_of_another_experiment(tmp_path):
    first = small(tmp_path)
    (tmp_path / "first.yaml").write_text(SMALL)
    (schemes,) = [line for line in SMALL.splitlines(keepends=True) if line.startswith("schemes")]
    second = small(tmp_path, (schemes, "setup_of: first\n"), ("stack: {preset: ns2-2001}\n", ""))
    assert [run.scenario for run in second.runs()] == [run.scenario for run in first.runs()]
    more = small(tmp_path, (schemes, "setup_of: first\nschemes: {mecn: }\n"))
    assert {run.labels["scheme"] for run in more.runs()} == {"ecn", "becn", "mecn"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none", "small.yaml:14:11: setup_of: "),
        ("../first", "small.yaml:14:11: setup_of: String should match pattern"),
        ("chained", "small.yaml:14:11: setup_of: chained.yaml has no setup of its own"),
        ("4", "small.yaml:14:11: setup_of: Input should be a valid string"),
    ],
)
def test_a_setup_of_no_other_experiment(tmp_path, name, message):
    (tmp_path / "chained.yaml").write_text("setup_of: small\n")
    with pytest.raises(ConfigError) as caught:
        small(tmp_path, ("seeds: 3", f"setup_of: {name}\nseeds: 3"))
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_fault_in_the_setup_of_another_experiment_is_where_it_is(tmp_path):
    (tmp_path / "first.yaml").write_text("stack:\n  preset: ns2-2001\nprofile:\n  steepness: 1\n")
    with pytest.raises(ConfigError) as caught:
        small(tmp_path, ("seeds: 3", "setup_of: first\nseeds: 3"))
    assert str(caught.value).startswith(f"{tmp_path / 'first.yaml'}:4:14: profile.steepness: ")


def test_an_unknown_key():
    with pytest.raises(ConfigError, match=r"there is no experiment 'P9\.A': quench experiment list shows all"):
        load("P9.A")


def test_a_file_of_ones_own(tmp_path):
    assert small(tmp_path).key == "small"
    assert keys(tmp_path) == ["small"]
    assert load("small", tmp_path).title == "A small experiment"


def test_a_run_that_no_network_could_have_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "crowd.yaml"
    path.write_text(
        "title: A crowd\nabout: More flows than a router has links.\nreadings: [nothing is read into it]\n"
        "topology: {kind: n1}\n"
        "traffic:\n- {group: ftp, count: 600, from: servers, to: clients, source: {kind: ftp}}\n"
        "schemes: {ecn: }\nduration: 1s\nmetrics: {rate: {title: Rate, unit: b/s, value: all.goodput_bps}}\n"
    )
    with pytest.raises(ExperimentError, match=r"^crowd/ecn/seed=1: \d+ links end at 'r1', the most is 509$"):
        load(path).runs()
