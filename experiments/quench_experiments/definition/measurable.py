# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The metrics and time series that a run can have, by its setup: a name that is none of them is misspelt."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import islice

from quench_experiments.definition.network import Hosts, Network, nic_of
from quench_experiments.definition.setup import Setup
from quench_experiments.definition.traffic import Traffic, names, one_of
from quench_experiments.simulation.names import (
    CALLS,
    DEPTHS,
    DIRECTION,
    DIRECTION_SERIES,
    FILES,
    FLOWS,
    GROUP,
    MESSAGES,
    NETWORK,
    OBJECTS,
    QUEUE,
    ROUTER,
    SIZE_BIN,
    SOURCE,
    WINDOW_SERIES,
)
from quench_experiments.simulation.source import OF_MANY, WITH_CONNECTIONS, Source

MOST_COMPARED = 5000
"""The most names among which a near one is sought: the time for it grows with their number."""
Parts = dict[str, frozenset[str]]


class Measurable:
    """Metrics by the part of the network that they are about, such as ``link.bottleneck.ab``, and time series."""

    def __init__(self, parts: Mapping[str, frozenset[str]], series: Iterable[str] = ()) -> None:
        self.parts = dict(parts)
        self.series = frozenset(series)

    def has_metric(self, name: str) -> bool:
        """Whether a run may have it. A metric whose measure does not exist is left out of the results."""
        part, _, column = name.rpartition(".")
        return column in self.parts.get(part, ())


def measurable(setup: Setup) -> Measurable:
    """The names of a setup's runs."""
    network = setup.network
    # All sources of a group are alike.
    sources = [(traffic, one_of(traffic, Hosts(network))) for traffic in setup.traffic if traffic.count]
    parts: Parts = {f"router.{router}": ROUTER for router in network.routers}
    for direction, router in _directions(network, setup.traffic):
        parts[f"link.{direction}"] = DIRECTION
        if router is not None:
            parts[f"router.{router}"] = ROUTER
        if setup.queues > 1 and router is not None:
            parts |= {f"link.{direction}.queue.{number}": QUEUE for number in range(setup.queues)}
    every: frozenset[str] = GROUP
    sized: set[str] = set()
    for traffic, source in sources:
        own = _of_records(source)
        parts |= {f"source.{name}": SOURCE | own for name in names(traffic)}
        of_group = GROUP | own | (FLOWS if own >= FILES else frozenset())
        parts[f"group.{traffic.group}"] = of_group
        if source.kind in OF_MANY:
            sized |= {f"source.{name}" for name in names(traffic)} | {f"group.{traffic.group}", "all"}
        every |= of_group
    parts["all"] = every
    bins = setup.measure.size_bins
    count = 0 if bins is None else bins if isinstance(bins, int) else len(bins) + 1
    parts |= {f"{part}.size.{number}": SIZE_BIN for part in sized for number in range(1, count + 1)}
    parts["network"] = NETWORK | (DEPTHS if setup.measure.queues else frozenset())
    for direction in setup.measure.queues:
        for part in [part for part in parts if f"{part}.".startswith(f"link.{direction}.")]:
            parts[part] |= DEPTHS
    series = [f"{direction}.{column}" for direction in setup.measure.series for column in DIRECTION_SERIES]
    if setup.measure.cwnd:
        with_tcp = (name for traffic, source in sources if _has_connections(source) for name in names(traffic))
        series += [f"source.{name}.{column}" for name in with_tcp for column in WINDOW_SERIES]
    return Measurable(parts, series)


def senders(name: str) -> str | None:
    """The sources whose records have such a metric, in words; None where others may have it."""
    column = name.rpartition(".")[2]
    if column in OBJECTS:
        return "sources of kind 'web' have it"
    if column in FILES | FLOWS:
        return "sources of kind 'files', and of kind 'ftp' with 'bytes', have it"
    if column in MESSAGES:
        return "sources of kind 'messages' and 'incast' have it"
    return "sources of kind 'voip' have it" if column in CALLS else None


def near(name: str, known: Iterable[Measurable], own: Iterable[str]) -> str | None:
    """The metric that may be meant: one of ``own`` names, or one that runs have; None where nothing is near."""
    parts: Parts = {}
    for each in known:
        for part, columns in each.parts.items():
            parts[part] = parts.get(part, frozenset()) | columns
    part, _, column = name.rpartition(".")
    if not part:
        return _nearest(name, [*own, *parts.get("", ())])
    # If the part is right, the column is not, and the other way round.
    found = part if part in parts else _nearest(part, islice(_like(part, parts), MOST_COMPARED))
    if found is None:
        return None
    meant = column if column in parts[found] else _nearest(column, sorted(parts[found]))
    return None if meant is None else f"{found}.{meant}"


def near_series(name: str, known: Iterable[Measurable]) -> str | None:
    """The time series that may be meant; None where nothing is near."""
    kept = sorted({series for each in known for series in each.series})
    return _nearest(name, kept[:MOST_COMPARED])


def _like(part: str, parts: Iterable[str]) -> Iterator[str]:
    """Parts of the same kind first: they are what is meant."""
    kind = f"{part.partition('.')[0]}."
    yield from (each for each in parts if each.startswith(kind))
    yield from (each for each in parts if not each.startswith(kind))


def _nearest(name: str, among: Iterable[str]) -> str | None:
    return next(iter(get_close_matches(name, list(among), n=1)), None)


def _directions(network: Network, traffic: Iterable[Traffic]) -> Iterator[tuple[str, str | None]]:
    """The directions of all links, and the router that each leaves; None: a host."""
    for link in network.links:
        yield from ((f"{link.name}.ab", link.a), (f"{link.name}.ba", link.b))
    hosts: Counter[str] = Counter()
    places: dict[str, str] = {}
    for each in traffic:
        for end in (each.from_, each.to):
            known = network.fixed_hosts(end)
            if known is None:
                hosts[end] += each.count
            else:
                of_all = each.source["kind"] in ("web", *OF_MANY)
                places |= {name: place for place, name in (known if of_all else known[: each.count])}
    places |= {f"{place}{number}": place for place, count in hosts.items() for number in range(1, count + 1)}
    for name, place in sorted(places.items()):
        at = network.places[place]
        yield from ((f"to-{name}.ab", at.router), (f"to-{name}.ba", nic_of(name) if at.nics else None))


def _of_records(source: Source) -> frozenset[str]:
    """The metrics of the records that a kind of source makes."""
    if source.kind == "web":
        return OBJECTS
    if source.kind in OF_MANY:
        return MESSAGES
    if source.kind == "files" or source.settings.get("bytes") is not None:
        return FILES
    return CALLS if source.kind == "voip" else frozenset()


def _has_connections(source: Source) -> bool:
    return source.kind in WITH_CONNECTIONS
