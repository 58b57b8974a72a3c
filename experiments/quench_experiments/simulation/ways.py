# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The ways between hosts, for what an idle network would take."""

from collections import deque
from collections.abc import Iterable, Mapping

from quench_experiments.simulation.scenario import NS_PER_S, Direction, Link, Scenario

Way = tuple[float, float, float]
"""The propagation of a round trip in ns; the ns per byte of all its links; and those of the narrowest."""


class Ways:
    """Shortest ways by hops; of several equal ones that by the earlier links."""

    def __init__(self, scenario: Scenario) -> None:
        self._hosts = [host.name for host in scenario.hosts]
        self._neighbours: dict[str, list[tuple[str, float, float]]] = {}
        for link in scenario.links:
            delay_ns = round(link.delay_s * NS_PER_S)
            self._neighbours.setdefault(link.a, []).append((link.b, delay_ns, _ns_per_byte(link.ab)))
            self._neighbours.setdefault(link.b, []).append((link.a, delay_ns, _ns_per_byte(link.ba)))
        self._of_router: dict[str, dict[str, Way]] = {}

    def between(self, sender: int, receiver: int) -> Way:
        """The way between two hosts, by their numbers."""
        ((router, delay_ns, ns_per_byte),) = self._neighbours[self._hosts[sender]]
        here = (2.0 * delay_ns, ns_per_byte, ns_per_byte)
        if router == self._hosts[receiver]:
            return here
        if router not in self._of_router:
            self._of_router[router] = self._from(router)
        there = self._of_router[router][self._hosts[receiver]]
        return here[0] + there[0], here[1] + there[1], max(here[2], there[2])

    def _from(self, router: str) -> dict[str, Way]:
        found: dict[str, Way] = {router: (0.0, 0.0, 0.0)}
        waiting = deque([router])
        while waiting:
            node = waiting.popleft()
            round_trip_ns, all_ns, most_ns = found[node]
            for other, delay_ns, ns_per_byte in self._neighbours[node]:
                if other not in found:
                    found[other] = (round_trip_ns + 2 * delay_ns, all_ns + ns_per_byte, max(most_ns, ns_per_byte))
                    waiting.append(other)
        return found


def _ns_per_byte(direction: Direction) -> float:
    return 0.0 if direction.rate_bps is None else 8 * NS_PER_S / direction.rate_bps


def mean_routers(links: Iterable[Link], hosts: Mapping[str, int]) -> float:
    """The routers on the way between two hosts, as a mean; ``hosts`` are their numbers at each router."""
    neighbours: dict[str, list[str]] = {}
    for link in links:
        neighbours.setdefault(link.a, []).append(link.b)
        neighbours.setdefault(link.b, []).append(link.a)
    routers = 0.0
    for router, count in hosts.items():
        far = {router: 1}
        waiting = deque([router])
        while waiting:
            node = waiting.popleft()
            for other in neighbours.get(node, ()):
                if other not in far:
                    far[other] = far[node] + 1
                    waiting.append(other)
        routers += count * sum(each * far.get(other, 1) for other, each in hosts.items())
    return routers / sum(hosts.values()) ** 2
