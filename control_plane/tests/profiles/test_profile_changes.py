# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Default thresholds, and changes of some settings of a profile."""

import re
from pathlib import Path
from typing import Any

import pytest
from quench.config import load_config
from quench.errors import ConfigError
from quench.profiles import compile_profile, parse_settings
from quench.profiles.changes import changed_profile
from quench.profiles.curve import curve_of
from quench.profiles.settings import NAMED_SCHEMES
from quench.units import Depth

N1 = {"minth": "15KB", "maxth": "45KB"}
RATE_BPS = 10_000_000


@pytest.mark.parametrize("scheme", NAMED_SCHEMES)
@pytest.mark.parametrize("times", [0.05, 1, 100])
def test_without_thresholds_a_scheme_has_those_of_n1_for_the_rate(scheme: str, times: float) -> None:
    depths = {"minth": 15_000, "maxth": 45_000, "midth": 30_000, "becnthresh": 20_000}
    settings = parse_settings({"scheme": scheme})
    stated = {name: f"{depths[name] * times:g}B" for name in type(settings).model_fields if name in depths}
    rate_bps = round(RATE_BPS * times)
    assert compile_profile(settings, rate_bps) == compile_profile(
        parse_settings({"scheme": scheme, **stated}), rate_bps
    )


@pytest.mark.parametrize(
    ("given", "name", "depth"),
    [
        ({"scheme": "mecn", "minth": "4pkts", "maxth": "12pkts"}, "midth", "8pkts"),
        ({"scheme": "ecn-becn", "minth": "6pkts", "maxth": "12KB"}, "becnthresh", "7pkts"),
        ({"scheme": "ecn-becn", "minth": "60KB", "maxth": "120KB"}, "becnthresh", "70KB"),
        ({"scheme": "ecn", "minth": "5KB"}, "maxth", "45KB"),
        ({"scheme": "ecn", "minth": None, "maxth": "50KB"}, "minth", "15KB"),
    ],
)
def test_what_is_given_counts(given: dict[str, Any], name: str, depth: str) -> None:
    whole = parse_settings(given).at_rate(RATE_BPS)
    assert str(getattr(whole, name)) == depth
    assert whole.at_rate(1) == whole, "nothing is left to scale"


def test_a_default_that_contradicts_is_one_line() -> None:
    settings = parse_settings({"scheme": "red", "maxth": "10KB"})
    sentence = (
        "minth (15KB) must be less than maxth (10KB); the scheme 'curve' takes any shape; "
        "minth has its default for 10Mbps: give other values"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        compile_profile(settings, RATE_BPS)


BUFFER = Depth(90_000, "bytes")


@pytest.mark.parametrize(
    ("written", "whole"),
    [
        ({"minth": "20%", "maxth": "60%"}, {"minth": "18KB", "maxth": "54KB"}),
        ({"minth": "5ms", "maxth": "20pkts"}, {"minth": "6.25KB", "maxth": "20pkts"}),
        ({"minth": "0.1bdp", "maxth": "2bdp", "rtt": "20ms"}, {"minth": "2.5KB", "maxth": "50KB", "rtt": "20ms"}),
        ({"scheme": "ecn-becn", "minth": "12ms", "maxth": "50%"}, {"minth": "15KB", "becnthresh": "20KB"}),
        ({"scheme": "mecn", "minth": "0%", "midth": "4ms", "maxth": "60%"}, {"midth": "5KB"}),
        ({"scheme": "ecn", "minth": "65%", "maxth": "65%", "maxp": "100%"}, {"minth": "58.5KB", "maxth": "58.5KB"}),
    ],
)
def test_thresholds_in_percent_and_in_time_are_depths_at_a_port(written: dict[str, Any], whole: dict[str, Any]) -> None:
    settings = parse_settings({"scheme": "ecn", **written})
    found = settings.at_rate(RATE_BPS, BUFFER).model_dump(mode="json")
    assert {name: found[name] for name in whole} == whole
    assert settings.model_dump(mode="json")["minth"] == written["minth"], "as it was written, for the next change"


def test_a_curves_corners_in_percent_and_in_time() -> None:
    points = [{"depth": "5ms", "p1": "2%", "isq": True}, {"depth": "50%", "p1": 1}, {"depth": "80KB", "p1": 1}]
    settings = parse_settings({"scheme": "curve", "points": points}).at_rate(RATE_BPS, BUFFER)
    assert [str(depth) for _, depth in settings.named_depths()] == ["6.25KB", "45KB", "80KB"]
    assert curve_of(settings).segments[0].isq
    falling = parse_settings({"scheme": "curve", "points": points[::-1]})
    with pytest.raises(ValueError, match=r"must not fall: 80KB comes before 45KB; the port has 10Mbps$"):
        falling.at_rate(RATE_BPS, BUFFER)


def test_what_a_port_does_not_know_is_one_line() -> None:
    settings = parse_settings({"scheme": "ecn", "minth": "20%", "maxth": "45KB"})
    with pytest.raises(ValueError, match=r"^20% needs the size of the buffer, which is not known here: give it, or"):
        compile_profile(settings, RATE_BPS)
    with pytest.raises(ValueError, match=r"^a threshold of 20% needs the port's rate or buffer$"):
        curve_of(settings)
    for bdp in ({"scheme": "ecn", "minth": "0.5bdp"}, {"scheme": "curve", "points": [{"depth": "0.5bdp", "p1": 1}]}):
        with pytest.raises(ValueError, match=r"0.5bdp needs 'rtt', the round trip of the path: give it, such as"):
            parse_settings(bdp)
    with pytest.raises(ValueError, match=r"^minth \(90KB\) must be less than maxth \(45KB\);.*; the port has 10Mbps$"):
        parse_settings({"scheme": "ecn", "minth": "100%", "maxth": "45KB"}).at_rate(RATE_BPS, BUFFER)


CONFIG = """\
switches:
  - name: s1
    address: 127.0.0.1:9559
    pipeline: {p4info: a, json: b}
    router_address: 10.0.0.254
    ports:
      1: {rate: 10Mbps, profile: plain}
      2: {rate: 1Gbps, profile: plain}
profiles:
  plain: {scheme: mecn}
"""


def test_a_configured_port_has_a_buffer(tmp_path: Path) -> None:
    path = tmp_path / "net.yaml"
    wanted = CONFIG.replace("scheme: mecn", "scheme: mecn, minth: 10%, maxth: 20ms")
    path.write_text(wanted.replace("rate: 10Mbps,", "rate: 10Mbps, buffer: 90KB,"))
    with pytest.raises(ConfigError, match=r"net\.yaml:8:\d+: .*10% needs the size of the buffer"):
        load_config(path)
    path.write_text(wanted.replace("bps,", "bps, buffer: 90KB,"))
    config = load_config(path)
    queues = [queue for _, queue in sorted(config.queues_of(config.switches[0]).items())]
    assert [(str(each.whole.minth), str(each.whole.maxth)) for each in queues] == [  # type: ignore[attr-defined]
        ("9KB", "25KB"),
        ("9KB", "2500KB"),
    ]
    assert queues[0].defaults == ["midth"]


def test_a_profile_of_a_file_has_the_thresholds_of_each_ports_rate(tmp_path: Path) -> None:
    path = tmp_path / "net.yaml"
    path.write_text(CONFIG)
    config = load_config(path)
    queues = config.queues_of(config.switches[0])
    assert [str(queue.whole.midth) for _, queue in sorted(queues.items())] == ["30KB", "3000KB"]  # type: ignore[attr-defined]
    path.write_text(CONFIG.replace("scheme: mecn", "scheme: mecn, minth: 50KB"))
    with pytest.raises(ConfigError, match=r"net\.yaml:7:\d+: .*minth \(50KB\) must be less than maxth \(45KB\)"):
        load_config(path)


@pytest.mark.parametrize(
    ("before", "changes", "unset", "after"),
    [
        ({"scheme": "ecn", **N1}, {"maxp": 0.3}, [], {"scheme": "ecn", **N1, "maxp": 0.3}),
        ({"scheme": "ecn", **N1}, {"maxp": "30%"}, [], {"scheme": "ecn", **N1, "maxp": 0.3}),
        ({"scheme": "ecn", **N1, "wq": 0.1}, {}, ["wq", "minth"], {"scheme": "ecn", "maxth": "45KB"}),
        ({"scheme": "ecn-mod", **N1, "c1": 1}, {"scheme": "ecn"}, [], {"scheme": "ecn", **N1}),
        ({"scheme": "ecn", **N1}, {"scheme": "taildrop"}, [], {"scheme": "taildrop"}),
        ({"scheme": "ecn", **N1, "wq": 0.1}, {"scheme": "dctcp", "k": "30KB"}, [], {"scheme": "dctcp", "k": "30KB"}),
        ({"scheme": "dctcp", "k": "30KB"}, {"scheme": "ecn"}, [], {"scheme": "ecn"}),
        (
            {"scheme": "curve", "points": [{"depth": "1KB", "p1": 1, "isq": True}], "mark_at": "tail"},
            {"report_interval": "1s"},
            [],
            {
                "scheme": "curve",
                "points": [{"depth": "1KB", "p1": 1, "isq": True}],
                "mark_at": "tail",
                "report_interval": "1s",
            },
        ),
        (None, {"scheme": "red"}, [], {"scheme": "red"}),
    ],
)
def test_only_what_is_named_changes(
    before: dict[str, Any] | None, changes: dict[str, Any], unset: list[str], after: dict[str, Any]
) -> None:
    running = None if before is None else parse_settings(before)
    changed = changed_profile(running, changes, unset)
    assert changed == parse_settings(after)
    assert changed.model_dump(exclude_unset=True) == parse_settings(after).model_dump(exclude_unset=True)


@pytest.mark.parametrize(
    ("changes", "unset", "sentence"),
    [
        ({"minth": "50KB"}, [], "minth (50KB) must be less than maxth (45KB)"),
        ({"minth": "5KB"}, ["minth"], "minth cannot be unset: it is given"),
        ({}, ["midth"], "midth is no setting of ecn"),
        ({}, ["scheme"], "scheme cannot be unset: a profile has one"),
        ({"maxp": 7, "wq": "x"}, [], "wq: Input should be a valid number"),
        ({"scheme": ["ecn"]}, [], "Input tag '['ecn']' found"),
        ({"scheme": "wred"}, [], "Input tag 'wred' found"),
    ],
)
def test_a_bad_change_is_one_line(changes: dict[str, Any], unset: list[str], sentence: str) -> None:
    running = parse_settings({"scheme": "ecn", **N1})
    with pytest.raises(ValueError, match=re.escape(sentence)) as error:
        changed_profile(running, changes, unset)
    assert "\n" not in str(error.value)


def test_a_queue_without_a_profile_needs_a_scheme() -> None:
    with pytest.raises(ValueError, match="give a scheme"):
        changed_profile(None, {"minth": "5KB"})
