# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""From a file to scenarios."""

import pytest
from defined import runs_by_labels, small
from quench.errors import ConfigError
from quench_experiments.definition.cost import router_passes
from quench_experiments.definition.setup import Setup
from quench_experiments.definition.substitution import SubstitutionError, substitute
from shipped import shipped


def test_runs_are_all_combinations(tmp_path):
    runs = small(tmp_path).runs()
    assert len(runs) == 2 * 2 * 2 * 3
    assert runs[0].id == "small/ecn/delay=40ms/n=4/seed=1"
    assert runs[0].labels == {"scheme": "ecn", "delay": "40ms", "n": 4, "seed": 1}
    assert [run.id for run in runs] == list(small(tmp_path).labels())


def test_quick_mode(tmp_path):
    runs = small(tmp_path).runs(quick=True)
    assert {(run.labels["n"], run.scenario.duration_s, run.scenario.warmup_s) for run in runs} == {(8, 10.0, 5.0)}
    assert len(runs) == 2 * 2 * 2


def test_probabilities_in_percent(tmp_path):
    def scenarios(maxp, loss):
        changes = (("mark_at: tail}", f"maxp: {maxp}}}"), ("kind: n1, delay", f"kind: n2, reverse_loss: {loss}, delay"))
        return [run.scenario for run in small(tmp_path, *changes, ("from: servers", "from: sender")).runs()]

    assert scenarios("25%", "5%") == scenarios(0.25, 0.05) != scenarios(0.25, 0.06)


def test_thresholds_in_percent_of_the_buffer_and_in_time(tmp_path):
    scenario = small(tmp_path, ("minth: 15KB, maxth: 45KB", "minth: 20%, maxth: 40ms")).runs()[0].scenario
    (router,) = [each for each in scenario.routers if each.profiles]
    whole = scenario.profile(router, "bottleneck.ab")
    assert (str(whole.minth), str(whole.maxth)) == ("18KB", "50KB")


@pytest.mark.parametrize(("seeds", "expected"), [(None, {1, 2, 3}), (1, {1}), ([7, 9], {7, 9})])
def test_seeds(tmp_path, seeds, expected):
    runs = small(tmp_path).runs(seeds=seeds)
    assert {run.labels["seed"] for run in runs} == expected
    assert all(run.scenario.seed == run.labels["seed"] for run in runs)


def test_starts_depend_on_the_seed_alone(tmp_path):
    """All schemes meet the same flows, as in the papers."""

    def starts(**labels):
        (run,) = runs_by_labels(small(tmp_path).runs(), n=8, delay="40ms", **labels)
        return [source.start_s for source in run.scenario.sources]

    assert starts(scheme="ecn", seed=1) == starts(scheme="becn", seed=1)
    assert starts(scheme="ecn", seed=1) != starts(scheme="ecn", seed=2)
    assert len(set(starts(scheme="ecn", seed=1))) == 8
    assert all(0 <= each <= 5 for each in starts(scheme="ecn", seed=1))


def test_groups_have_stacks_of_their_own(tmp_path):
    scenario = small(tmp_path).runs()[0].scenario
    assert {source.group: source.stack for source in scenario.sources} == {"plain": "plain", "test": "scheme"}
    assert scenario.stacks["plain"].algorithm == "plain"
    assert scenario.stacks["scheme"].algorithm == "ecn"
    assert [source.group for source in scenario.sources] == ["plain", "plain", "test", "test"]


PACED = (
    "transport: becn, rule: halve, rate_bps: 100000000, base_rtt_s: 0.1, segment_bytes: 960, initial_window_bytes: 9600"
)


def test_a_scheme_may_have_hosts_of_another_transport(tmp_path):
    """TCP's common settings and the preset's algorithm are not for them."""
    runs = small(tmp_path, ("becn: }", f"becn: {{stack: {{{PACED}}}}}}}")).runs(quick=True, seeds=1)
    stacks = {run.labels["scheme"]: run.scenario.stacks["scheme"] for run in runs}
    assert (stacks["becn"].transport, stacks["becn"].segment_bytes) == ("becn", 960)
    assert not {"preset", "algorithm"} & stacks["becn"].model_dump().keys()
    assert stacks["ecn"].preset == "ns2-2001"


def test_common_settings_of_another_transport_are_for_all_schemes_that_have_it(tmp_path):
    changes = ("{preset: ns2-2001}", f"{{{PACED}}}"), ("becn: }", "becn: {stack: {rule: level}}}")
    runs = small(tmp_path, *changes, ("stack: plain", "stack: unresponsive")).runs(quick=True, seeds=1)
    stacks = {run.labels["scheme"]: run.scenario.stacks for run in runs}
    assert [stacks[scheme]["scheme"].rule for scheme in ("ecn", "becn")] == ["halve", "level"]
    assert stacks["becn"]["unresponsive"].reacts is False
    assert stacks["becn"]["unresponsive"].rule == "level"


def test_tcp_cannot_be_unresponsive(tmp_path):
    fault = r"^.*small\.yaml:10:\d+: traffic\.0\.stack: TCP has no setting 'reacts': its hosts cannot be unresponsive$"
    with pytest.raises(ConfigError, match=fault):
        small(tmp_path, ("stack: plain", "stack: unresponsive"))


def test_a_wrong_common_setting_of_tcp_is_at_the_common_ones(tmp_path):
    with pytest.raises(ConfigError, match=r"small\.yaml:8:\d+: stack\.reacts: unknown field `reacts`"):
        small(tmp_path, ("preset: ns2-2001", "preset: ns2-2001, reacts: false"))


def test_routers_quench_without_limits(tmp_path):
    scenario = small(tmp_path).runs()[0].scenario
    for router in scenario.routers:
        assert (router.isq.mode, router.isq.per_queue, router.isq.per_source, router.isq.total) == (
            "cpu",
            None,
            None,
            None,
        )
        assert router.controller_latency_s == 0


def test_a_scheme_may_quench_late(tmp_path):
    runs = small(tmp_path, ("becn: }", "becn: {isq: {latency: 25ms}}}")).runs(quick=True, seeds=1)
    latencies = {run.labels["scheme"]: {each.controller_latency_s for each in run.scenario.routers} for run in runs}
    assert latencies == {"ecn": {0}, "becn": {0.025}}


def test_head_marking_changes_one_thing_at_a_time():
    """The same network, hosts and starts; the profile's place of decision, or the controller's latency."""
    runs = runs_by_labels(shipped("head-marking").runs(seeds=1), delay="250ms", n=45)
    scenarios = {(run.labels["part"], run.labels["scheme"], run.labels.get("latency")): run.scenario for run in runs}
    tail, head = scenarios["place", "becn-tail", None], scenarios["place", "becn-head", None]
    late = scenarios["late", "becn-tail", "10ms"]
    assert scenarios["late", "becn-tail", "0ms"] == tail
    assert {each.controller_latency_s for each in late.routers} == {0.01}
    at_departure = tail.routers[0].profiles["bottleneck.ab"].model_copy(update={"mark_at": "head"})
    assert head.routers[0].profiles == {"bottleneck.ab": at_departure}
    for other in (head, late):
        assert other.model_copy(update={"routers": tail.routers}) == tail


def test_readings_of_ecn_becn_differ_in_the_hosts_only():
    def of(scheme):
        return next(run.scenario for run in shipped("ecn-becn-rules").runs() if run.labels["scheme"] == scheme)

    literal, loose = of("literal"), of("loose")
    assert loose.stacks["scheme"].parameters == {
        "hold_rule": "old-window",
        "ece_opens_after_isq": True,
        "ece_guard_srtt": True,
    }
    assert literal.stacks["scheme"].parameters == {}
    assert literal.routers == loose.routers
    assert literal.sources == loose.sources


def test_parts_extend_what_is_common(tmp_path):
    parts = (
        "parts:\n"
        "  slow: {topology: {rate: 5Mbps}, sweep: {delay: [40ms], n: [4, 8]}}\n"
        "  fast: {schemes: {becn: }, seeds: [9]}\n"
        "metrics:"
    )
    experiment = small(
        tmp_path,
        ("metrics:", parts),
        ("at: {scheme: becn, delay: 40ms", "at: {part: slow, scheme: becn, delay: 40ms"),
        ("at: {delay: 40ms}}", "at: {part: slow, delay: 40ms}}"),
    )
    slow = runs_by_labels(experiment.runs(), part="slow")
    fast = runs_by_labels(experiment.runs(), part="fast")
    assert {run.scenario.links[0].ab.rate_bps for run in slow} == {5e6}
    assert {run.scenario.links[0].ab.rate_bps for run in fast} == {10e6}
    assert {run.scenario.links[0].delay_s for run in slow} == {0.04}
    assert (len(slow), len(fast)) == (2 * 2 * 3, 4)
    assert fast[0].id == "small/fast/becn/delay=40ms/n=4/seed=9"


def test_cost_counts_data_and_acks_in_both_routers(tmp_path):
    """10 Mb/s for 20 s are 25 000 packets of 1000 bytes; as many ACKs; each passes two routers."""
    experiment = small(tmp_path)
    assert experiment.cost_estimate(seeds=1) == 8 * 25_000 * 2 * 2
    assert experiment.cost_estimate() == 3 * experiment.cost_estimate(seeds=1)
    assert experiment.cost_estimate(quick=True) == 4 * 2 * 25_000 * 2


def test_flows_to_one_host_cost_what_fills_its_link():
    """8 Mb/s for 1 s are 1000 packets of 1000 bytes, and as many ACKs; network cards see each of them first."""
    setup = {
        "topology": {"kind": "star", "hosts": 9, "access_rate": "8Mb/s"},
        "traffic": [{"group": "f", "count": 8, "from": "hosts/2-9", "to": "hosts/1", "source": {"kind": "ftp"}}],
        "scheme": {"preset": "taildrop"},
        "stack": {"segment_bytes": 960},
        "duration": "1s",
    }
    assert router_passes(Setup.model_validate(setup)) == 2 * 1000
    setup["topology"]["nics"] = True
    assert router_passes(Setup.model_validate(setup)) == 2 * 2 * 1000
    setup["traffic"][0]["to"] = "hosts/1-2"
    assert router_passes(Setup.model_validate(setup)) == 2 * 2 * 2 * 1000


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$n", 8),
        ("$n / 2", 4),
        ("$1 / n", 0.125),
        ("$-n + 2 * 3", -2),
        ("$delay", "40ms"),
        ("n", "n"),
        (8, 8),
        ("$n pkts", "8pkts"),
        ("$n / 16 Mb/s ", "0.5Mb/s"),
    ],
)
def test_substitution(text, value):
    result = substitute({"a": [text]}, {"n": 8, "delay": "40ms"})
    assert result == {"a": [value]}
    assert type(result["a"][0]) is type(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("$m", "nothing is swept by the name 'm'; there is n, delay"),
        ("$delay * 2", "delay is '40ms', not a number"),
        ("$delay pkts", "delay is '40ms', not a number"),
        ("$n pkts each", "is neither a name nor arithmetic"),
        ("$n / 0", "divides by 0"),
        ("$n **", "is neither a name nor arithmetic"),
        ("$open('x')", "is neither a name nor arithmetic"),
        ("$n ** 2", "is neither a name nor arithmetic"),
    ],
)
def test_what_cannot_be_substituted(text, message):
    with pytest.raises(SubstitutionError, match=message.replace("(", r"\(")) as caught:
        substitute({"a": [1, text]}, {"n": 8, "delay": "40ms"})
    assert caught.value.place == ("a", 1)
