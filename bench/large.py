# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One simulation of a large network in a process of its own, so that its time and its memory are its own.

Prints a line of JSON. A packet-hop is a packet's way over one link: all that links have sent, ACKs among them.
"""

import argparse
import json
import random
import resource
import sys
import time
from dataclasses import replace
from ipaddress import IPv4Address

from quench.profiles.settings import parse_settings
from quench_experiments.comparison.cases import N1, Case
from quench_experiments.comparison.ours import scenario as n1_scenario
from quench_experiments.definition.fabric import FatTree, LeafSpine
from quench_experiments.definition.network import Hosts, Network
from quench_experiments.simulation.running import RunningSimulation
from quench_experiments.simulation.scenario import Direction, Host, Link, Router, Scenario
from quench_experiments.simulation.source import Source
from quench_experiments.simulation.stack import Stack
from quench_switch.outside.units import format_rate_bps, format_seconds, parse_rate_bps, parse_seconds
from quench_topologies.papers import declared

SEGMENT_BYTES = 1460
PIPE_RATE, PIPE_PACKET_BYTES = "8Gbps", 1000
"""A million packets a second."""
LEAVES, SPINES, HOSTS_OF_LEAF = 8, 8, 8
"""Two tiers of 64 hosts, as fast up as down."""
TREE = declared.FAT_TREE


def main() -> None:
    """Run it."""
    arguments = _arguments()
    began = time.perf_counter(), time.process_time()
    description = _scenario(arguments)
    described = time.perf_counter()
    running = RunningSimulation(description, threads=arguments.threads)
    set_up = time.perf_counter(), time.process_time()
    before = _peak_bytes()
    running.run_until(description.duration_s)
    ran = time.perf_counter(), time.process_time()
    result = running.result()
    sent = {name: each["tx_pkts"] for name, each in _links(result.metrics()).items()}
    hops = sum(sent.values())
    processor_s = ran[1] - set_up[1]
    measured = {
        "network": arguments.network,
        "hosts": len(description.hosts),
        "routers": len(description.routers),
        "flows": len(description.sources),
        "threads": arguments.threads,
        "simulated_s": description.duration_s,
        "description_s": described - began[0],
        "set_up_s": set_up[0] - described,
        "wall_s": ran[0] - set_up[0],
        "processor_s": processor_s,
        "events": result.events,
        "packet_hops": round(hops),
        "us_per_packet_hop": 1e6 * processor_s / hops,
        "events_per_s": result.events / processor_s,
        "goodput_bps": result.metrics().get("all.goodput_total_bps"),
        "dropped_pkts": sum(each["dropped_pkts"] for each in _links(result.metrics()).values()),
        "marked_pkts": sum(each.get("marked_pkts", 0.0) for each in _links(result.metrics()).values()),
        "memory_before_bytes": before,
        "memory_peak_bytes": _peak_bytes(),
    }
    sys.stdout.write(json.dumps(measured) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", choices=("n1", "link", "pipe", "leaf-spine", "fat-tree"))
    parser.add_argument("--duration", type=float, help="simulated, in seconds")
    parser.add_argument("--flows", type=int, default=45, help="of n1 and link")
    parser.add_argument("--rate", help="of the links, such as 10Gbps; access links of n1 and link are faster")
    parser.add_argument("--delay", help="of each link, such as 1us; of the bottleneck of n1 and link")
    parser.add_argument("--ports", type=int, default=TREE.ports, help="of each switch of a fat tree")
    parser.add_argument("--scheme", default="ecn", help="of the queues between switches")
    parser.add_argument("--bytes", type=int, help="of each flow of a tree; without, it does not end")
    parser.add_argument("--threads", type=int, default=1, help="of the run")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def _scenario(arguments: argparse.Namespace) -> Scenario:
    if arguments.network == "n1":
        return n1_scenario(_dumbbell(arguments, N1.rate_bps), arguments.seed)
    if arguments.network == "link":
        # Each flow has as much as in N1, where there are 45.
        return n1_scenario(_dumbbell(arguments, N1.rate_bps * arguments.flows / 45), arguments.seed)
    if arguments.network == "pipe":
        return _pipe(parse_rate_bps(arguments.rate or PIPE_RATE), parse_seconds(arguments.delay or "10ms"), arguments)
    rate = arguments.rate or format_rate_bps(TREE.rate_bps)
    delay = arguments.delay or format_seconds(TREE.delay_s)
    shape = {"rate": rate, "access_rate": rate, "delay": delay, "access_delay": delay, "buffer": str(TREE.buffer)}
    if arguments.network == "fat-tree":
        tree = FatTree.model_validate({**shape, "ports": arguments.ports})
        return _permutation(tree.network(), arguments.ports // 2, arguments)
    tiers = LeafSpine.model_validate({"leaves": LEAVES, "spines": SPINES, **shape})
    return _permutation(tiers.network(), HOSTS_OF_LEAF, arguments)


def _dumbbell(arguments: argparse.Namespace, rate_bps: float) -> Case:
    """N1 at a rate; buffer and thresholds grow with it, as the number of flows that fill it does."""
    rate_bps = rate_bps if arguments.rate is None else float(parse_rate_bps(arguments.rate))
    scale = rate_bps / N1.rate_bps
    network = replace(
        N1,
        rate_bps=rate_bps,
        delay_s=N1.delay_s if arguments.delay is None else parse_seconds(arguments.delay),
        access_rate_bps=N1.access_rate_bps * scale,
        minth_pkts=round(N1.minth_pkts * scale),
        maxth_pkts=round(N1.maxth_pkts * scale),
        buffer_pkts=round(N1.buffer_pkts * scale),
    )
    duration_s = arguments.duration or 10.0
    return Case("bench", network, arguments.scheme, arguments.flows, warmup_s=0.0, duration_s=duration_s)


def _pipe(rate_bps: int, delay_s: float, arguments: argparse.Namespace) -> Scenario:
    """A link that is full of datagrams all the time, behind a router."""
    full = Direction(rate_bps=float(rate_bps))
    cbr = {"kind": "cbr", "rate_bps": float(rate_bps), "packet_bytes": PIPE_PACKET_BYTES}
    return Scenario(
        seed=arguments.seed,
        duration_s=arguments.duration or 2 * delay_s,
        hosts=(Host(name="a", address=IPv4Address("10.1.0.1")), Host(name="b", address=IPv4Address("10.2.0.1"))),
        routers=(Router(name="r"),),
        links=(
            Link(name="in", a="a", b="r", delay_s=0.0, ab=full, ba=full),
            Link(name="out", a="r", b="b", delay_s=delay_s, ab=full, ba=full),
        ),
        sources=(Source.model_validate({"name": "f", "from": "a", "to": "b", **cbr}),),
    )


def _permutation(network: Network, hosts_of_edge: int, arguments: argparse.Namespace) -> Scenario:
    """Each host sends to one other host, and each receives from one."""
    found = Hosts(network)
    names = [found.end(place, index, hosts_of_edge) for place in network.places for index in range(hosts_of_edge)]
    # A random order, in which each sends to the next: none to itself.
    order = random.Random(arguments.seed).sample(names, len(names))
    thresholds = TREE.thresholds
    settings = {
        "minth": thresholds.minth,
        "maxth": thresholds.maxth,
        "maxp": thresholds.maxp,
        "mean_packet_bytes": thresholds.mean_packet_bytes,
    }
    profile = parse_settings({"scheme": arguments.scheme, **({} if arguments.scheme == "taildrop" else settings)})
    what = {"kind": "ftp"} if arguments.bytes is None else {"kind": "files", "bytes": arguments.bytes, "files": 1}
    return Scenario(
        seed=arguments.seed,
        duration_s=arguments.duration or 0.005,
        hosts=tuple(found.hosts),
        routers=tuple(
            Router(name=name, profiles=dict.fromkeys(managed, profile))
            for name, managed in network.managed_by().items()
        ),
        links=(*network.links, *found.links),
        stacks={"tcp": Stack.model_validate({"algorithm": "ecn", "segment_bytes": SEGMENT_BYTES, "min_rto_s": 0.01})},
        sources=tuple(
            Source.model_validate({"name": f"f{number}", "from": one, "to": other, "stack": "tcp", **what})
            for number, (one, other) in enumerate(zip(order, order[1:] + order[:1], strict=True))
        ),
        equal_paths=network.equal_paths,
    )


def _links(metrics: dict[str, float]) -> dict[str, dict[str, float]]:
    """The metrics of each direction of a link, without those of its queues."""
    found: dict[str, dict[str, float]] = {}
    for name, value in metrics.items():
        if name.startswith("link.") and name.count(".") == 3:
            _, link, way, metric = name.split(".")
            found.setdefault(f"{link}.{way}", {})[metric] = value
    return found


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
