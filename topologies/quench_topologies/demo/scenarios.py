# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What the demo can run: a scheme of the switch with the TCP of the hosts that belongs to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quench.config.yaml_file import ConfigError, YamlFile
from quench.profiles import parse_settings
from quench_common.units import parse_depth

from quench_topologies.errors import TopologyError
from quench_topologies.thresholds import SCHEMES, Thresholds, check_profile

REPORT_INTERVAL = "20ms"
DEFAULT_SCHEMES = ("red", "ecn", "becn", "ecn-becn", "mecn", "ecn-mod")
HOST_ALGORITHMS = ("plain", "ecn", "becn", "ecn-becn", "mecn", "ecn-mod")
"""As quench-host calls them."""
ISQ_SCHEMES = ("becn", "ecn-becn")
_DROPPING_SCHEMES = ("taildrop", "red")
_CURVE = "curve"
_CHOICES = f"choose one of {', '.join(SCHEMES)}, ecn-becn:DEPTH, ecn-mod:C1 or {_CURVE}:FILE"


@dataclass(frozen=True, slots=True)
class Scenario:
    """One run of the demo."""

    name: str
    """For people."""
    profile: Mapping[str, Any]
    """Of the congested queues, as in the controller's YAML."""
    host_algorithm: str
    host_settings: tuple[str, ...] = ()
    """PARAM=VALUE of quench-host."""
    beside: str | None = None
    """The algorithm of the other flows, where not all are of one kind."""

    @property
    def scheme(self) -> str:
        """As in the controller's profiles."""
        return str(self.profile["scheme"])

    @property
    def becnthresh_bytes(self) -> int | None:
        """Depth from which ecn-becn sends source quenches."""
        if "becnthresh" not in self.profile:
            return None
        mean_bytes = int(self.profile["mean_packet_bytes"])
        return round(parse_depth(self.profile["becnthresh"]).in_pkts(mean_bytes) * mean_bytes)


@dataclass(frozen=True, slots=True)
class SchemeOptions:
    """What is said of all schemes at once."""

    thresholds: Thresholds
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of profiles; a scheme takes those that it knows."""
    isq_levels: bool = False
    """Whether source quenches carry a level, and the hosts heed it."""


def parse_scenarios(texts: Sequence[str], options: SchemeOptions) -> tuple[Scenario, ...]:
    """From ``SCHEME[:VARIANT][+ALGO]``, also several with commas between; ecn-becn alone stands for all its thresholds.

    Raises TopologyError.
    """
    words = [word.strip() for text in texts for word in text.split(",")]
    scenarios: dict[str, Scenario] = {}
    for word in words or DEFAULT_SCHEMES:
        for scenario in _parse(word, options):
            if scenarios.setdefault(scenario.name, scenario) != scenario:
                raise TopologyError(f"--scheme {word}: another scheme is called {scenario.name!r}: rename the file")
    if options.isq_levels and not any(scenario.host_algorithm in ISQ_SCHEMES for scenario in scenarios.values()):
        raise TopologyError("--isq-levels: none of the schemes sends source quenches: choose becn or ecn-becn")
    unknown = set(options.settings) - {key for scenario in scenarios.values() for key in scenario.profile}
    if unknown:
        raise TopologyError(f"--set {min(unknown)}: none of the schemes has this setting: see docs/schemes.md")
    return tuple(scenarios.values())


def _parse(word: str, options: SchemeOptions) -> list[Scenario]:
    text, plus, beside = word.partition("+")
    if plus and beside not in HOST_ALGORITHMS:
        raise TopologyError(f"--scheme {word}: behind + stands one of {', '.join(HOST_ALGORITHMS)}")
    scheme, colon, variant = text.partition(":")
    if scheme == _CURVE and variant:
        made = [_from_file(word, Path(variant), options)]
    elif scheme not in SCHEMES or (colon and (scheme not in ("ecn-becn", "ecn-mod") or not variant)):
        raise TopologyError(f"--scheme {word}: {_CHOICES}")
    elif scheme == "ecn-becn":
        depths = [variant] if variant else _depths(options)
        made = [_of_scheme(word, scheme, options, f"{scheme} {depth}", becnthresh=depth) for depth in depths]
    elif scheme == "ecn-mod" and variant:
        made = [_of_scheme(word, scheme, options, f"{scheme} {variant}", c1=_number(word, variant))]
    else:
        made = [_of_scheme(word, scheme, options, scheme)]
    return [each if not beside else _beside(each, beside) for each in made]


def _depths(options: SchemeOptions) -> Sequence[str]:
    return [str(options.settings["becnthresh"])] if "becnthresh" in options.settings else options.thresholds.becnthresh


def _of_scheme(word: str, scheme: str, options: SchemeOptions, name: str, **variant: Any) -> Scenario:
    plain = {**options.thresholds.profile(scheme), "report_interval": REPORT_INTERVAL}
    profile = _with_settings(f"--scheme {word}", plain, options, variant)
    algorithm = _hosts_of_scheme(scheme)
    return Scenario(name, profile, algorithm, _host_settings(profile, algorithm, options))


def _from_file(word: str, path: Path, options: SchemeOptions) -> Scenario:
    """A profile of the controller's YAML from a file of its own."""
    try:
        values = YamlFile(path).values
    except ConfigError as error:
        raise TopologyError(f"--scheme {word}: {error}") from error
    if not isinstance(values, dict):
        raise TopologyError(f"--scheme {word}: {path}: a profile is a mapping with the key 'scheme'")
    plain = {"mean_packet_bytes": options.thresholds.mean_packet_bytes, **values, "report_interval": REPORT_INTERVAL}
    check_profile(f"--scheme {word}: {path}", plain)
    profile = _with_settings(f"--scheme {word}: {path}", plain, options, {})
    algorithm = _hosts_of_curve(profile) if profile["scheme"] == _CURVE else _hosts_of_scheme(profile["scheme"])
    return Scenario(path.stem, profile, algorithm, _host_settings(profile, algorithm, options))


def _hosts_of_scheme(scheme: str) -> str:
    return "plain" if scheme in _DROPPING_SCHEMES else scheme


def _hosts_of_curve(profile: Mapping[str, Any]) -> str:
    """TCP that understands all that a curve says: ECT(1) is mecn's, source quenches are ecn-becn's."""
    if profile.get("level1_codepoint") == "ect1":
        return "mecn"
    return "ecn-becn" if any(point.get("isq") for point in profile["points"]) else "ecn"


def _with_settings(
    where: str, profile: dict[str, Any], options: SchemeOptions, variant: Mapping[str, Any]
) -> dict[str, Any]:
    known = type(parse_settings(profile)).model_fields
    if options.isq_levels and "isq_levels" in known:
        profile["isq_levels"] = True
    profile = {**profile, **{key: value for key, value in options.settings.items() if key in known}, **variant}
    check_profile(where, profile)
    return profile


def _host_settings(profile: Mapping[str, Any], algorithm: str, options: SchemeOptions) -> tuple[str, ...]:
    """What the hosts have to know of the switch's profile."""
    if algorithm == "ecn-mod":
        return tuple(f"{key}={profile[key]}" for key in ("c1", "c2") if key in profile)
    heeds_levels = profile.get("isq_levels") or (options.isq_levels and algorithm in ISQ_SCHEMES)
    return ("isq_levels=on",) if heeds_levels else ()


def _beside(scenario: Scenario, algorithm: str) -> Scenario:
    if algorithm == scenario.host_algorithm:
        raise TopologyError(f"--scheme {scenario.name}+{algorithm}: the other flows would be {algorithm}'s, too")
    return Scenario(
        f"{scenario.name} + {algorithm}",
        scenario.profile,
        scenario.host_algorithm,
        scenario.host_settings,
        algorithm,
    )


def _number(word: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise TopologyError(f"--scheme {word}: {text!r} is not a number such as 0.125") from error
