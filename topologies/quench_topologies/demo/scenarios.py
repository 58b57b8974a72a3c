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
from quench.profiles.scheme import N1_RATE_BPS
from quench.profiles.schemes import FILE_SCHEME
from quench.profiles.settings import NAMED_SCHEMES, PAPER_SCHEMES, scheme_of
from quench.units import Depth, RelativeDepth, parse_depth
from quench_simulator import host_algorithms

from quench_topologies.demo.completed import PROGRAM
from quench_topologies.errors import TopologyError
from quench_topologies.program import OwnProgram, own_program
from quench_topologies.thresholds import Thresholds, check_profile

REPORT_INTERVAL = "20ms"
ISQ_SCHEMES = tuple(name for name in NAMED_SCHEMES if scheme_of(name).sends_isqs)
_VARIANTS = [f"{name}:{str(scheme_of(name).variant).upper()}" for name in NAMED_SCHEMES if scheme_of(name).variant]
CHOICES = f"{', '.join([*NAMED_SCHEMES, *_VARIANTS])}, {FILE_SCHEME}:FILE or {PROGRAM}:FILE"
"""The words that --scheme takes."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One run of the demo."""

    name: str
    """Shown to users."""
    profile: Mapping[str, Any]
    """The profile of the congested queues, as in the controller's YAML."""
    host_algorithm: str
    host_settings: tuple[str, ...] = ()
    """PARAM=VALUE of quench-host."""
    beside: str | None = None
    """The algorithm of the other flows, where not all are of one kind."""
    program: OwnProgram | None = None
    """The program of the switches, whose settings ``profile`` has then; None: Quench's."""

    @property
    def scheme(self) -> str:
        """The scheme as in the controller's profiles, or the title of a program of its own."""
        return str(self.profile["scheme"]) if self.program is None else self.program.description.title

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
    """The settings of profiles; a scheme takes those that it knows."""
    isq_levels: bool = False
    """Source quenches carry a level, by which the hosts reduce their windows."""
    rate_bps: int = N1_RATE_BPS
    """The rate of the congested links: thresholds that a file leaves out are scaled to it."""


def parse_scenarios(texts: Sequence[str], options: SchemeOptions) -> tuple[Scenario, ...]:
    """The scenarios of ``SCHEME[:VARIANT][+ALGO]``, also several with commas between. Raises TopologyError.

    Where the topology has several values for a scheme's variant, the scheme alone stands for all of them.
    """
    words = [word.strip() for text in texts for word in text.split(",")]
    scenarios: dict[str, Scenario] = {}
    for word in words or PAPER_SCHEMES:
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
    if scheme == FILE_SCHEME and variant:
        made = [_from_file(word, Path(variant), options)]
    elif scheme == PROGRAM and variant:
        made = [_from_program(Path(variant), options)]
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
    where = f"--scheme {word}: {path}"
    check_profile(where, plain)
    profile = _with_settings(where, plain, options, {})
    written = parse_settings(profile)
    try:
        whole = written.at_rate(options.rate_bps)
    except ValueError as error:
        raise TopologyError(f"{where}: {error}") from error
    profile |= {name: str(getattr(whole, name)) for name in written.defaults(options.rate_bps)}
    return _scenario(path.stem, profile, options)


def _from_program(path: Path, options: SchemeOptions) -> Scenario:
    """A program of one's own, with those of the given settings that it knows."""
    known = own_program(path, {}).description.settings
    program = own_program(path, {name: value for name, value in options.settings.items() if name in known})
    settings = {name: program.settings.get(name, each.default) for name, each in known.items()}
    settings["mean_packet_bytes"] = program.description.mean_packet_bytes
    algorithm = program.description.algorithm
    if algorithm not in host_algorithms():
        raise TopologyError(f"{path}: algorithm: {algorithm!r}: choose one of {', '.join(host_algorithms())}")
    return Scenario(program.description.title, settings, algorithm, program=program)


def _with_settings(
    where: str, profile: dict[str, Any], options: SchemeOptions, variant: Mapping[str, Any]
) -> dict[str, Any]:
    known = type(parse_settings(profile)).setting_names()
    if options.isq_levels and "isq_levels" in known:
        profile["isq_levels"] = True
    profile = {**profile, **{key: value for key, value in options.settings.items() if key in known}, **variant}
    check_profile(where, profile)
    settings = parse_settings(profile)

    def at_port(depth: RelativeDepth) -> Depth:
        if depth.unit == "%":
            raise ValueError(f"{depth} is of a buffer, which the demo has no option for: write 15KB, or a time as 5ms")
        return depth.at_port(options.rate_bps, None, settings.path_rtt_s)

    try:
        # Expectations and figures take the depths, before there is a port.
        return profile | settings.relative(at_port)
    except ValueError as error:
        raise TopologyError(f"{where}: {error}") from error


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
        scenario.program,
    )


def _number(word: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise TopologyError(f"--scheme {word}: {text!r} is not a number such as 0.125") from error
