# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Rounds of traffic with faults, each followed by an account of all packets."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quench.profiles.settings import scheme_of

from quench_topologies.datagram_traffic import DatagramTraffic
from quench_topologies.datagrams import ConstantRate
from quench_topologies.errors import TopologyError
from quench_topologies.live_page import LivePage
from quench_topologies.loaded_plan import Bottleneck, LoadedPlan, LoadSettings
from quench_topologies.network import RunningNetwork
from quench_topologies.papers.catalogue import find_topology
from quench_topologies.plan import Endpoint
from quench_topologies.soak.accounting import Account, Reading, account, read_counts
from quench_topologies.soak.faults import FAULTS, PATIENCE_S, Fault, Scene
from quench_topologies.soak.readers import Readers, Tally
from quench_topologies.soak.watch import DATAGRAMS, SOURCE_QUENCHES, Watch
from quench_topologies.traffic import Traffic

SCHEME = "ecn-becn"
ALGORITHM = scheme_of(SCHEME).host_algorithm
PAIRS = 2
FLOWS = 30
DATAGRAMS_BPS = 320_000
DATAGRAM_BYTES = 200
"""One every 5 ms, which is how finely recoveries of forwarding are measured."""
SPREAD_S = 0.5
KILLS_S = 20.0
"""Reserved for the last round, in which switches are killed."""
LEAST_S = 2.5
"""With less time left no fault begins."""
PAUSE_S = (0.3, 0.8)
"""The range of the time between two faults, in seconds."""
DRAIN_STEP_S = 0.5
"""Nothing moved for so long: no packet is on its way."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """A fault that was injected, and how long it took until all was well again."""

    fault: str
    began_s: float
    """Since the campaign began."""
    seconds: float | None
    """None: it did not recover."""


@dataclass
class Record:
    """The events of a campaign."""

    recoveries: list[Recovery] = field(default_factory=list)
    accounts: list[Account] = field(default_factory=list)
    datagrams_sent_pkts: int = 0
    datagrams_received_pkts: int = 0
    source_quenches: int = 0
    readers: Mapping[str, Tally] = field(default_factory=dict)
    """The tallies of readers, by protocol."""
    broken: list[str] = field(default_factory=list)
    """Invariants that did not hold, one line each."""


def soak_plan() -> LoadedPlan:
    """N1 with the papers' TCP, and datagrams beside it. Raises TopologyError."""
    topology = find_topology("n1")
    tcp = topology.tcp_plan(paper=True)
    return topology.build(
        LoadSettings(
            profile=topology.thresholds_for(tcp).profile(SCHEME),
            rate_bps=topology.row.rate_bps,
            delay_ns=topology.row.delay_ns,
            pairs=PAIRS,
            flows=FLOWS,
            tcp=tcp,
        )
    )


def draw_profile(draw: random.Random) -> dict[str, Any]:
    """Settings for the congested queue under which source quenches stay frequent."""
    topology = find_topology("n1")
    thresholds = topology.thresholds_for(topology.tcp_plan(paper=True))
    return thresholds.profile(SCHEME, maxp=round(draw.uniform(0.1, 0.5), 3), becnthresh=f"{draw.randint(16, 18)}KB")


class Campaign:
    """Runs on a network that is up."""

    def __init__(
        self,
        network: RunningNetwork,
        loaded: LoadedPlan,
        seed: int,
        loader: Path,
        disk: Path,
        page: LivePage,
        readers: Readers,
    ) -> None:
        self._network = network
        self._draw = random.Random(seed)
        self._seed = seed
        self._sender, self._receiver = loaded.places[0].pairs[0]
        (bottleneck,) = loaded.bottlenecks
        self._scene = Scene(
            network=network,
            draw=self._draw,
            loader=loader,
            algorithm=ALGORITHM,
            disk=disk,
            bottleneck=(bottleneck.switch, bottleneck.port),
            path=self._interfaces_between(self._sender, self._receiver, bottleneck),
            profile=draw_profile,
            page=page,
            readers=readers,
        )
        self._senders = [sender for sender, _ in loaded.places[0].pairs]
        pairs = [loaded.places[0].pairs[number % PAIRS] for number in range(FLOWS)]
        self._ends = [self._network.ends(sender, receiver) for sender, receiver in pairs]
        self._window_bytes = loaded.plan.tcp.max_window_bytes
        self._rounds = 0
        self.record = Record()

    def run(self, seconds: float, progress: Callable[[str], None]) -> None:
        """Run until the time is over. Failures are in the record; a fault that cannot be injected raises its error."""
        network, loader = self._network, self._scene.loader
        self._began_s = time.monotonic()
        ends_s = self._began_s + seconds
        gentle = [fault for fault in FAULTS if not fault.kills_switch]
        kills = [fault for fault in FAULTS if fault.kills_switch] * len(network.switches)
        with ExitStack() as stack:
            for host in network.hosts.values():
                stack.callback(host.disable, loader)
                host.enable(loader, ALGORITHM)
            quenched = self._watch(self._senders, SOURCE_QUENCHES)
            received = self._watch([self._receiver], DATAGRAMS)
            self._watches = {"source quench": stack.enter_context(quenched), "datagram": stack.enter_context(received)}
            while not self.record.broken and (left_s := ends_s - time.monotonic()) > LEAST_S:
                if left_s > KILLS_S + LEAST_S:
                    self._round(gentle, ends_s - KILLS_S, progress)
                if not self.record.broken:
                    self._round(kills, ends_s, progress)
            self.record.source_quenches = quenched.count()

    def _interfaces_between(self, sender: str, receiver: str, bottleneck: Bottleneck) -> tuple[str, ...]:
        """The interfaces of the switches."""
        first, last = (self._network.plan.peer(Endpoint(host)) for host in (sender, receiver))
        assert first is not None
        assert last is not None
        trunk = (Endpoint(bottleneck.switch, bottleneck.port), Endpoint(bottleneck.next_switch, bottleneck.next_port))
        return tuple(self._network.switches[end.node].interfaces()[end.port] for end in (first, *trunk, last))

    def _watch(self, hosts: Sequence[str], program: bytes) -> Watch:
        plan = self._network.plan
        return Watch([(self._network.hosts[name].namespace, plan.host(name).interface) for name in hosts], program)

    def _round(self, faults: Sequence[Fault], ends_s: float, progress: Callable[[str], None]) -> None:
        """Inject each fault once, in random order, under traffic; then stop the traffic and account for all packets."""
        self._rounds += 1
        before = read_counts(self._network)
        killed: set[str] = set()
        seed = self._seed + self._rounds
        traffic = Traffic(self._ends, SPREAD_S, seed, self._window_bytes)
        load = ConstantRate(DATAGRAMS_BPS, DATAGRAM_BYTES, on_s=1.0, off_s=0.0)
        datagrams = DatagramTraffic(self._network.ends(self._sender, self._receiver), load, seed)
        try:
            traffic.start()
            datagrams.start()
            self._await("source quench", time.monotonic())
            for fault in self._draw.sample(faults, len(faults)):
                if time.monotonic() > ends_s - LEAST_S or self.record.broken:
                    break
                progress(fault.name)
                self._inject(fault, killed)
                traffic.check()
                datagrams.check()
        finally:
            traffic.stop()
            sent = datagrams.stop().packets
        self.record.datagrams_sent_pkts += len(sent)
        self.record.datagrams_received_pkts += sum(packet.received_ns is not None for packet in sent)
        progress("accounting")
        ended_s = time.monotonic()
        result = account(self._network, before, self._quiet(), killed)
        self.record.accounts.append(result)
        silent = self._scene.readers.unanswered(ended_s, PATIENCE_S)
        self.record.broken += [f"round {self._rounds}: {place}: no honest question is answered" for place in silent]
        self.record.broken += [f"round {self._rounds}: {fault}" for fault in result.faults]

    def _inject(self, fault: Fault, killed: set[str]) -> None:
        began_s = time.monotonic() - self._began_s
        injected = fault.inject(self._scene)
        if injected.killed_switch is not None:
            killed.add(injected.killed_switch)
        seen_s = self._watches[fault.sign].first_after(injected.sign_after_s, PATIENCE_S)
        recovered_s = None if seen_s is None else seen_s - injected.ended_s
        self.record.recoveries.append(Recovery(fault.name, began_s, recovered_s))
        if seen_s is None:
            self.record.broken.append(f"{fault.name}: no {fault.sign} within {PATIENCE_S:g} s")
        self._network.check()
        self._scene.page.check()
        self._scene.readers.check()
        self._network.wait_until_programmed(PATIENCE_S)
        time.sleep(self._draw.uniform(*PAUSE_S))

    def _await(self, sign: str, since_s: float) -> None:
        if self._watches[sign].first_after(since_s, PATIENCE_S) is None:
            raise TopologyError(f"no {sign} came within {PATIENCE_S:g} s of traffic without a fault")

    def _quiet(self) -> Reading:
        """The counts once nothing moves any more. Raises TopologyError."""
        deadline = time.monotonic() + PATIENCE_S
        last = read_counts(self._network)
        while time.monotonic() < deadline:
            time.sleep(DRAIN_STEP_S)
            now = read_counts(self._network)
            if now == last:
                return now
            last = now
        raise TopologyError(f"packets were still moving {PATIENCE_S:g} s after the traffic had stopped")
