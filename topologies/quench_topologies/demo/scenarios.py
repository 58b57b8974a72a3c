# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The demo's runs: a scheme of the switch with the TCP of the hosts that belongs to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quench.config.yaml_file import YamlFile
from quench.errors import ConfigError
from quench.profiles import parse_settings
from quench.profiles.settings import MARKING_SCHEMES, NAMED_SCHEMES, scheme_of
from quench.units import parse_depth
from quench_switch import host_algorithms

from quench_topologies.errors import TopologyError
from quench_topologies.thresholds import Thresholds, check_profile

REPORT_INTERVAL = "20ms"
ISQ_SCHEMES = tuple(name for name in NAMED_SCHEMES if scheme_of(name).sends_isqs)
_CURVE = "curve"
_VARIANTS = [f"{name}:{str(scheme_of(name).variant).upper()}" for name in NAMED_SCHEMES if scheme_of(name).variant]
CHOICES = f"{', '.join([*NAMED_SCHEMES, *_VARIANTS])} or {_CURVE}:FILE"
"""The words that --scheme takes."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One run of the demo."""

    name: str
    """Shown to users."""
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
    """Options that hold for all schemes."""

    thresholds: Thresholds
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of profiles; a scheme takes those that it knows."""
    isq_levels: bool = False
    """Source quenches carry a level, by which the hosts reduce their windows."""


def parse_scenarios(texts: Sequence[str], options: SchemeOptions) -> tuple[Scenario, ...]:
    """From ``SCHEME[:VARIANT][+ALGO]``, also several with commas between. Raises TopologyError.

    Where the topology has several values for a scheme's variant, the scheme alone stands for all of them.
    """
    words = [word.strip() for text in texts for word in text.split(",")]
    scenarios: dict[str, Scenario] = {}
    for word in words or MARKING_SCHEMES:
        for scenario in _parse(word, options):
            if scenarios.setdefault(scenario.name, scenario) != scenario:
                raise TopologyError(f"--scheme {word}: another scheme is called {scenario.name!r}: rename the file")
    if options.isq_levels and not any(_obeys_isqs(scenario.host_algorithm) for scenario in scenarios.values()):
        raise TopologyError(
            f"--isq-levels: none of the schemes sends source quenches: choose {' or '.join(ISQ_SCHEMES)}"
        )
    unknown = set(options.settings) - {key for scenario in scenarios.values() for key in scenario.profile}
    if unknown:
        raise TopologyError(f"--set {min(unknown)}: none of the schemes has this setting: see docs/schemes.md")
    return tuple(scenarios.values())


def _parse(word: str, options: SchemeOptions) -> list[Scenario]:
    text, plus, beside = word.partition("+")
    if plus and beside not in host_algorithms():
        raise TopologyError(f"--scheme {word}: behind + stands one of {', '.join(host_algorithms())}")
    scheme, colon, variant = text.partition(":")
    if scheme == _CURVE and variant:
        made = [_from_file(word, Path(variant), options)]
    elif scheme not in NAMED_SCHEMES or (colon and not (variant and scheme_of(scheme).variant)):
        raise TopologyError(f"--scheme {word}: choose one of {CHOICES}")
    else:
        made = [_of_scheme(word, scheme, options, value) for value in _variants(scheme, variant, options)]
    return [each if not beside else _beside(each, beside) for each in made]


def _variants(scheme: str, given: str, options: SchemeOptions) -> Sequence[str | None]:
    """Values of the scheme's variant, a run each; None: the scheme has no variant, or its default is meant."""
    name = scheme_of(scheme).variant
    if given or name is None:
        return [given or None]
    if name in options.settings and options.thresholds.values(scheme, name):
        return [str(options.settings[name])]
    return options.thresholds.values(scheme, name) or [None]


def _of_scheme(word: str, scheme: str, options: SchemeOptions, value: str | None) -> Scenario:
    declared = scheme_of(scheme)
    variant: dict[str, Any] = {}
    if value is not None and declared.variant is not None:
        is_number = declared.model_fields[declared.variant].annotation is float
        variant = {declared.variant: _number(word, value) if is_number else value}
    plain = {**options.thresholds.profile(scheme), "report_interval": REPORT_INTERVAL}
    profile = _with_settings(f"--scheme {word}", plain, options, variant)
    return _scenario(f"{scheme} {value}" if variant else scheme, profile, options)


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
    return _scenario(path.stem, profile, options)


def _with_settings(
    where: str, profile: dict[str, Any], options: SchemeOptions, variant: Mapping[str, Any]
) -> dict[str, Any]:
    known = type(parse_settings(profile)).model_fields
    if options.isq_levels and "isq_levels" in known:
        profile["isq_levels"] = True
    profile = {**profile, **{key: value for key, value in options.settings.items() if key in known}, **variant}
    check_profile(where, profile)
    return profile


def _scenario(name: str, profile: dict[str, Any], options: SchemeOptions) -> Scenario:
    """The profile with the hosts that belong to it."""
    settings = parse_settings(profile)
    algorithm = settings.algorithm()
    shared = {key: profile[key] for key in settings.shared_with_hosts if key in profile}
    if options.isq_levels and _obeys_isqs(algorithm):
        shared["isq_levels"] = True
    words = (f"{key}={'on' if value is True else value}" for key, value in shared.items() if value is not False)
    return Scenario(name, profile, algorithm, tuple(words))


def _obeys_isqs(algorithm: str) -> bool:
    return host_algorithms()[algorithm]


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
