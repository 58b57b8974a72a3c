# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One point of an experiment, all swept values filled in."""

import random
from collections.abc import Callable
from functools import cached_property, partial
from ipaddress import ip_network
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from quench.config.isq import IsqConfig, IsqMode
from quench.errors import message_of
from quench.isq import IsqFormat
from quench.profiles.settings import SCHEMES, ProfileSettings, fault_at
from quench.programs import SwitchProgram
from quench.units import ProbabilityField

from quench_experiments.definition import schemes
from quench_experiments.definition.network import Hosts, Network, directions
from quench_experiments.definition.quantity import Time
from quench_experiments.definition.topology import Topology
from quench_experiments.definition.traffic import SCHEME_STACK, UNRESPONSIVE_STACK, Traffic, names, one_of, sources
from quench_experiments.simulation.base import SizeBins
from quench_experiments.simulation.scenario import MAX_SLOWDOWN, Link, Measure, Router, Scenario, own_queue
from quench_experiments.simulation.stack import Stack


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _yaml_off(value: object) -> object:
    """YAML 1.1 reads an ``off`` without quotes as false."""
    return "off" if value is False else value


_EVERYWHERE = (ip_network("0.0.0.0/0"), ip_network("::/0"))


class Isq(_Model):
    """The routers' source quenches. The papers' routers know no rate limit."""

    mode: Annotated[IsqMode, BeforeValidator(_yaml_off)] = "cpu"
    latency: Time = 0.0
    """The time from the decision about a packet to the departure of its source quench."""
    format: IsqFormat = "icmp"
    """The form about data packets of RoCEv2; all hosts and routers are of the domain."""
    sender_support: Literal["unknown", "known"] = "unknown"
    """``known``: a Fast CNP takes the place of the mark."""
    loss: ProbabilityField = 0.0
    """The probability that a source quench is lost, with ``mode: cpu``."""

    @model_validator(mode="after")
    def _can_be_made(self) -> Self:
        if self.loss > 0 and self.mode != "cpu":
            raise fault_at("the controller's source quenches alone can be lost: give mode: cpu", "loss")
        _ = self.config
        return self

    @property
    def config(self) -> IsqConfig:
        """The controller's form of it. Raises pydantic.ValidationError for what contradicts itself."""
        return IsqConfig(
            mode=self.mode,
            per_queue=None,
            per_source=None,
            total=None,
            format=self.format,
            domain=() if self.format == "icmp" else _EVERYWHERE,
            sender_support=self.sender_support,
        )


class Scheme(_Model):
    """A scheme of the experiment: a preset or a program of one's own, and the settings that differ."""

    preset: str
    """The name of the preset; a program of one's own is only named by it."""
    program: SwitchProgram | None = None
    """The program of the routers; None: Quench's."""
    profile: dict[str, Any] = {}
    stack: dict[str, Any] = {}
    isq: Isq | None = None
    """The settings of source quenches instead of the setup's."""
    nics: bool = True
    """Whether hosts' network cards run the program, where the topology says so; False: they have a queue without it."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.program is None and self.preset not in schemes.PRESETS:
            raise fault_at(f"there is no scheme {self.preset!r}: there is {', '.join(schemes.PRESETS)}", "preset")
        return self


class Measured(_Model):
    """The measurements besides the totals."""

    series: tuple[str, ...] = ()
    """Directions whose queue is kept over time."""
    queues: tuple[str, ...] = ()
    """Directions of whose queue there are percentiles."""
    size_bins: SizeBins | None = None
    """The bins of messages by their size: a number of equal shares, or the bins' upper edges in bytes."""
    cwnd: bool = False
    interval: Time = Field(default=0.1, gt=0)


class Setup(_Model):
    """Everything that makes a run, its seed apart."""

    topology: Topology
    profile: dict[str, Any] = {}
    """Settings of the queues that all schemes share."""
    stack: dict[str, Any] = {}
    """Settings of the hosts that all schemes share."""
    traffic: tuple[Traffic, ...] = Field(min_length=1)
    scheme: Scheme
    duration: Time = Field(gt=0)
    warmup: Time = 0.0
    isq: Isq = Isq()
    slowdown: int | None = Field(default=None, ge=1, le=MAX_SLOWDOWN)
    """The factor by which the routers' clocks are slower than time, with the TNA program; None: 1000."""
    measure: Measured = Measured()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.warmup >= self.duration:
            raise fault_at("the warm-up ends before the run does", "warmup")
        if not any(traffic.count for traffic in self.traffic):
            raise fault_at("no group has a source: give one a count of 1 or more", "traffic")
        network = self.network
        own = self.own_settings
        for name in self.profile:
            if name not in schemes.PROFILE_FIELDS and name not in (own or {}):
                raise fault_at(f"no scheme has a setting {name!r}", "profile", name)
        if own is None:
            _within("profile", self.profile, self.scheme.profile, lambda: self.settings)
            self._check_thresholds(network)
        elif self.scheme.program is not None:
            _check_queues(self.scheme.program, network, own)
        self._check_stacks()
        hosts = Hosts(network)
        taken: set[str] = set()
        for index, traffic in enumerate(self.traffic):
            _check_source(traffic, hosts, index)
            for name in names(traffic):
                if name in taken:
                    raise fault_at(f"another group has a source {name!r}, too", "traffic", index, "group")
                taken.add(name)
        self._check_series(network)
        return self

    def _check_thresholds(self, network: Network) -> None:
        """Work out thresholds in time and in percent at a queue of each kind, so that a fault has its place."""
        for (where, number), name in network.managed_queues().items():
            assert where.rate_bps is not None, "a direction with a profile has a rate"
            try:
                self.settings.at_rate(round(where.rate_bps), where.buffer(number))
            except ValueError as error:
                place = ("scheme", "profile") if self.scheme.profile else ("profile",)
                raise fault_at(f"{name}: {error}", *place) from error

    def _check_stacks(self) -> None:
        _within("stack", self.stack, self.scheme.stack, lambda: self._stack(SCHEME_STACK))
        for index, traffic in enumerate(self.traffic):
            if traffic.stack == UNRESPONSIVE_STACK:
                try:
                    self._stack(UNRESPONSIVE_STACK)
                except ValidationError as error:
                    transport = getattr(self._stack(SCHEME_STACK), "transport", schemes.TCP)
                    title = "TCP" if transport == schemes.TCP else f"transport {transport}"
                    what = f"{title} has no setting 'reacts': its hosts cannot be {UNRESPONSIVE_STACK}"
                    raise fault_at(what, "traffic", index, "stack") from error
            elif traffic.stack != SCHEME_STACK:
                _within("stack", self.stack, {}, partial(self._stack, traffic.stack))

    def _check_series(self, network: Network) -> None:
        known = network.links
        for what, named in (("series", self.measure.series), ("queues", self.measure.queues)):
            for index, name in enumerate(named):
                if name not in directions(known):
                    known = (*network.links, *self._access_links(network))
                if name not in directions(known):
                    raise fault_at(f"there is no direction {name!r}: write LINK.ab or LINK.ba", "measure", what, index)

    def _access_links(self, network: Network) -> list[Link]:
        """Those to the hosts of all flows."""
        hosts = Hosts(network)
        for traffic in self.traffic:
            sources(traffic, hosts, random.Random(0))
        return hosts.links

    @cached_property
    def network(self) -> Network:
        """The topology's, as the scheme has it."""
        network = self.topology.network()
        return network if self.scheme.nics else network.without_nics()

    @property
    def preset(self) -> schemes.Preset:
        """The scheme's preset. A program of one's own leaves its queues alone otherwise."""
        if self.scheme.program is not None:
            description = self.scheme.program.description
            return schemes.Preset("taildrop", description.algorithm, description.transport)
        return schemes.PRESETS[self.scheme.preset]

    @property
    def own_settings(self) -> dict[str, Any] | None:
        """The settings of the queues of a program of one's own, the common ones that it knows among them."""
        if self.scheme.program is None:
            return None
        known = self.scheme.program.description.settings
        return {**{name: value for name, value in self.profile.items() if name in known}, **self.scheme.profile}

    @property
    def settings(self) -> ProfileSettings:
        """The profile of the congested queues."""
        return schemes.profile(self.preset, self.profile, self.scheme.profile)

    @property
    def queues(self) -> int:
        """The queues of a router's port: those of the network, or more if the program needs them."""
        least = self.scheme.program.description.queues if self.scheme.program is not None else 1
        return max(self.network.queues, least)

    @property
    def stacks(self) -> dict[str, Stack]:
        """The hosts' stacks by name."""
        names = dict.fromkeys((SCHEME_STACK, *(traffic.stack for traffic in self.traffic)))
        return {name: self._stack(name) for name in names}

    def _stack(self, name: str) -> Stack:
        if name in schemes.PRESETS:
            return schemes.stack(schemes.PRESETS[name], self.stack, {})
        own = {**self.scheme.stack, "reacts": False} if name == UNRESPONSIVE_STACK else self.scheme.stack
        return schemes.stack(self.preset, self.stack, own)

    def scenario(self, seed: int) -> Scenario:
        """The scenario that the simulator runs. Raises pydantic.ValidationError."""
        isq = self.scheme.isq or self.isq
        network = self.network
        own = self.own_settings
        hosts = Hosts(network)
        # The routers' and hosts' generators take the seed too; starts have one of their own per group, the same for
        # all schemes, as the papers' have.
        found = [
            source
            for traffic in self.traffic
            for source in sources(traffic, hosts, random.Random(f"{seed}/start/{traffic.group}"))
        ]
        managed = {name: [*between, *hosts.managed(name)] for name, between in network.managed_by().items()}
        managed |= {host.nic: [f"to-{host.name}.ba"] for host in hosts.hosts if host.nic is not None}
        return Scenario(
            seed=seed,
            program=self.scheme.program,
            equal_paths=network.equal_paths,
            duration_s=self.duration,
            warmup_s=self.warmup,
            hosts=tuple(hosts.hosts),
            routers=tuple(
                Router(
                    name=name,
                    controller_latency_s=isq.latency,
                    queues=self.queues,
                    shared_buffer_bytes=network.shared_buffer_bytes,
                    slowdown=self.slowdown,
                    isq=isq.config,
                    isq_loss=isq.loss,
                    classes=network.classes,
                    profiles={} if own is not None else dict.fromkeys(managed[name], self.settings),
                    queue_settings={} if own is None else dict.fromkeys(managed[name], own),
                )
                for name in managed
            ),
            links=(*network.links, *hosts.links),
            stacks=self.stacks,
            sources=tuple(found),
            measure=Measure(
                series=self.measure.series,
                queues=self.measure.queues,
                size_bins=self.measure.size_bins,
                cwnd=self.measure.cwnd,
                series_interval_s=self.measure.interval,
            ),
        )


def _check_queues(program: SwitchProgram, network: Network, settings: dict[str, Any]) -> None:
    """Make the entries of a queue of each kind, so that a fault has its place before anything runs."""
    schema = program.p4_schema
    try:
        program.description.values(settings)
        for (where, number), name in network.managed_queues().items():
            try:
                own_queue(program, schema, 1, number, where, settings)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from error
    except ValueError as error:
        raise fault_at(str(error), "scheme", "profile") from error


def _check_source(traffic: Traffic, hosts: Hosts, index: int) -> None:
    """Make one source of the group, so that its faults have their place."""
    try:
        one_of(traffic, hosts)
    except ValidationError as error:
        raise _placed(error, "traffic", index, "source") from error
    except ValueError as error:
        raise fault_at(str(error), "traffic", index) from error


def _within(what: str, common: dict[str, Any], own: dict[str, Any], look: Callable[[], object]) -> None:
    """A fault of settings merged from the common ones and the scheme's own has the place where the setting stands.

    That of a setting that stands nowhere is the place of the scheme's own, by which its default is wrong.
    """
    try:
        look()
    except ValidationError as error:
        message, keys = _first_fault(error)
        of_scheme = own and (not keys or keys[0] in own or keys[0] not in common)
        raise fault_at(message, *(("scheme", what) if of_scheme else (what,)), *keys) from error


def _placed(error: ValidationError, *place: str | int) -> Exception:
    """The first fault that pydantic found in a part, with its place in the whole."""
    message, keys = _first_fault(error)
    return fault_at(message, *place, *keys)


def _first_fault(error: ValidationError) -> tuple[str, tuple[str | int, ...]]:
    """The message of the first fault, and its place in the part."""
    fault = error.errors()[0]
    # The names of schemes are tags of unions, not keys.
    keys = tuple(key for key in fault["loc"] if key not in SCHEMES)
    return message_of(fault), (*keys, *fault.get("ctx", {}).get("place", ()))
