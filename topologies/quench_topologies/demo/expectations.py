# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' claims about named schemes, and whether the demo's numbers bear them out. Nothing is tuned for that."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quench.profiles.schemes import NAMED_SCHEMES
from quench.targets import TARGETS

from quench_topologies.demo.scenarios import ISQ_SCHEMES
from quench_topologies.demo.verdicts import Expectation, above, each_of, falling, falling_counts, verdict
from quench_topologies.papers.voice_net import FIFO

Scheme = Mapping[str, Any]
BECN_SCHEMES = ("becn", "ecn-becn")
"""The schemes of P0, by rising becnthresh: becn is ecn-becn with becnthresh at minth."""
GAIN_ORDER = (*BECN_SCHEMES, "ecn")
"""The schemes of P0 and P1, from the most to the least gain beside plain TCP."""
LATER_MARKING_SCHEMES = ("mecn", "ecn-mod")
SAME_GOODPUT_PERCENT = 1.0
"""Two sums of goodput that are closer than this count as the same: a run is too short to distinguish them."""
SAME_DEVIATION_PERCENT = 10.0
"""The same of the deviation of a queue."""
P4_DIFFERENCE_PERCENT = 10.0
VOICE_LOSS_PERCENT = 1.0


def expectations(schemes: Sequence[Scheme], settings: Mapping[str, Any]) -> list[Expectation]:
    """Those for which the schemes that ran are enough; settings are those of summary.json."""
    alone = [scheme for scheme in schemes if scheme["beside_algorithm"] is None]
    found = [
        *_isqs_by_scheme(schemes, settings),
        *_isqs_by_becnthresh(alone),
        *_hosts_react(schemes),
        *_losses(alone, settings),
        *_levels(schemes),
    ]
    if settings["topology"] == "n1":
        found += _gains(schemes)
    if settings["topology"] in ("n1", "vw"):
        found += _ecn_beside_ecn_mod(schemes)
    if settings["topology"] == "n2" and settings["reverse_loss"] > 0:
        found += _lost_isqs(alone)
    if settings["topology"] == "mp":
        found += _parking_lot(alone)
    if settings["topology"] == "g3":
        found += _three_links(alone)
    if settings["topology"] == "vw":
        found += _voice(schemes, settings)
    return found


def _named(schemes: Sequence[Scheme], *names: str) -> list[Scheme]:
    return [scheme for scheme in schemes if scheme["scheme"] in names]


def _one(schemes: Sequence[Scheme], name: str) -> Scheme | None:
    return next((scheme for scheme in schemes if scheme["scheme"] == name), None)


def _listed(schemes: Sequence[Scheme]) -> str:
    """The names of the schemes that ran, each once: red, ecn and becn."""
    names = list(dict.fromkeys(scheme["scheme"] for scheme in schemes))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _verb(schemes: Sequence[Scheme], one: str, several: str) -> str:
    return one if len({scheme["scheme"] for scheme in schemes}) == 1 else several


def _isqs_by_scheme(schemes: Sequence[Scheme], settings: Mapping[str, Any]) -> Iterator[Expectation]:
    known = _named(schemes, *NAMED_SCHEMES)
    quenching = () if settings["isq_mode"] == "off" else ISQ_SCHEMES
    silent = [scheme for scheme in known if scheme["scheme"] not in quenching]
    if silent:
        why = " (--isq-mode off)" if settings["isq_mode"] == "off" else ""
        yield Expectation(
            f"{_listed(silent)} {_verb(silent, 'sends', 'send')} no source quenches{why}",
            each_of(silent, "isqs_sent_pkts"),
            verdict(all(scheme["isqs_sent_pkts"] == 0 for scheme in silent)),
        )
    becn = _named(known, "becn") if quenching else []
    if becn:
        yield Expectation(
            "becn sends source quenches",
            each_of(becn, "isqs_sent_pkts"),
            verdict(all(scheme["isqs_sent_pkts"] > 0 for scheme in becn)),
        )


def _isqs_by_becnthresh(schemes: Sequence[Scheme]) -> Iterator[Expectation]:
    quenching = sorted(_named(schemes, *BECN_SCHEMES), key=lambda scheme: scheme["becnthresh_bytes"] or 0)
    if len(quenching) > 1 and any(scheme["isqs_sent_pkts"] for scheme in quenching):
        yield Expectation(
            "the higher becnthresh, the fewer source quenches (P0)",
            each_of(quenching, "isqs_sent_pkts"),
            falling_counts([scheme["isqs_sent_pkts"] for scheme in quenching]),
        )


def _hosts_react(schemes: Sequence[Scheme]) -> Iterator[Expectation]:
    quenched = [scheme for scheme in schemes if scheme["isqs_sent_pkts"] > 0]
    if quenched:
        yield Expectation(
            "hosts accept source quenches and reduce their windows for them",
            each_of(quenched, "host_reactions_to_isq"),
            verdict(all(each["isqs_accepted_by_hosts_pkts"] and each["host_reactions_to_isq"] for each in quenched)),
        )


def _losses(schemes: Sequence[Scheme], settings: Mapping[str, Any]) -> Iterator[Expectation]:
    red = _one(schemes, "red")
    if red is None:
        return
    quoted = " (P1: 1.19 and 0.99 % against 4.6 %, 45 flows)" if settings["topology"] == "n1" else ""
    for names, why, quoted_here in (
        (GAIN_ORDER, "", quoted),
        (LATER_MARKING_SCHEMES, ", marking where red drops,", ""),
    ):
        marking = _named(schemes, *names)
        if marking:
            yield Expectation(
                f"{_listed(marking)}{why} {_verb(marking, 'loses', 'lose')} fewer packets than red{quoted_here}",
                each_of([red, *marking], "dropped_pkts"),
                verdict(all(scheme["dropped_pkts"] < red["dropped_pkts"] for scheme in marking)),
            )


def _levels(schemes: Sequence[Scheme]) -> Iterator[Expectation]:
    mecn = _named(schemes, "mecn")
    if not mecn:
        return
    others = [scheme for scheme in _named(schemes, *NAMED_SCHEMES) if scheme["scheme"] != "mecn"]
    never = f"; {_listed(others)} never {_verb(others, 'writes', 'write')} ECT(1)" if others else ""
    yield Expectation(
        f"mecn marks at two levels, ECT(1) and CE (P3){never}",
        f"ECT(1): {each_of([*mecn, *others], 'crossed_ect1_pkts')}; CE: {each_of(mecn, 'crossed_ce_pkts')}",
        verdict(
            all(scheme["crossed_ect1_pkts"] > 0 and scheme["crossed_ce_pkts"] > 0 for scheme in mecn)
            and all(scheme["crossed_ect1_pkts"] == 0 for scheme in others)
        ),
    )


def _gains(schemes: Sequence[Scheme]) -> Iterator[Expectation]:
    mixed = [
        scheme
        for scheme in _named(schemes, *GAIN_ORDER)
        if scheme["beside_algorithm"] == "plain" and scheme["gain_percent"] is not None
    ]
    for scheme in mixed:
        yield Expectation(
            f"{scheme['scheme']} gets more than the plain TCP beside it "
            "(P1: becn 43 %, ecn 31.5 %; P0: becn 46 %, ecn-becn 45 and 40 %, ecn 35 %)",
            _gain(scheme),
            above(scheme["gain_percent"], scheme["gain_error_percent"]),
        )
    ordered = sorted(mixed, key=lambda each: (GAIN_ORDER.index(each["scheme"]), each["becnthresh_bytes"] or 0))
    if len({scheme["scheme"] for scheme in ordered}) > 1:
        yield Expectation(
            "beside plain TCP becn gains most, then ecn-becn, then ecn (P1, P0)",
            ", ".join(f"{scheme['name']} {_gain(scheme)}" for scheme in ordered),
            falling([(scheme["gain_percent"], scheme["gain_error_percent"]) for scheme in ordered]),
        )


def _gain(scheme: Scheme) -> str:
    error = scheme["gain_error_percent"]
    return f"{scheme['gain_percent']:+.1f} %" + ("" if error is None else f" (standard error {error:.1f})")


def _ecn_beside_ecn_mod(schemes: Sequence[Scheme]) -> Iterator[Expectation]:
    for scheme in _named(schemes, "ecn-mod"):
        if scheme["beside_algorithm"] == "ecn" and scheme["gain_percent"] is not None:
            yield Expectation(
                "ecn gets less than the ecn-mod beside it, 20 to 30 % in P2, and is not starved",
                f"ecn-mod {_gain(scheme)}",
                above(scheme["gain_percent"], scheme["gain_error_percent"])
                if scheme["groups"][1]["goodput_mean_bps"] > 0
                else "fails",
            )


def _lost_isqs(schemes: Sequence[Scheme]) -> Iterator[Expectation]:
    becn, rest = _one(schemes, "becn"), _named(schemes, "ecn", "ecn-becn")
    if becn is not None and rest:
        least = max(scheme["queue_sd_pkts"] for scheme in rest)
        difference = becn["queue_sd_pkts"] - least
        yield Expectation(
            f"where source quenches are lost becn's queue swings more than with {_listed(rest)} (P0)",
            "deviation in packets: " + each_of([becn, *rest], "queue_sd_pkts", ".1f"),
            above(difference, least * SAME_DEVIATION_PERCENT / 100 / 2),
        )


def _more_goodput(claim: str, ours: Scheme, other: Scheme) -> Expectation:
    difference = ours["goodput_total_bps"] / other["goodput_total_bps"] - 1
    return Expectation(
        claim,
        f"{ours['name']} {100 * difference:+.1f} % against {other['name']}",
        above(difference, SAME_GOODPUT_PERCENT / 100 / 2),
    )


def _parking_lot(schemes: Sequence[Scheme]) -> Iterator[Expectation]:
    ecn, mecn = _one(schemes, "ecn"), _one(schemes, "mecn")
    if ecn is not None and mecn is not None:
        yield _more_goodput("mecn carries more than ecn in all (P3: up to 147 %, depending on minth)", mecn, ecn)


def _three_links(schemes: Sequence[Scheme]) -> Iterator[Expectation]:
    red, ecn = _one(schemes, "red"), _one(schemes, "ecn")
    if red is not None and ecn is not None:
        difference = 100 * (ecn["goodput_total_bps"] / red["goodput_total_bps"] - 1)
        yield Expectation(
            "ecn's goodput is within 10 % of red's (P4: 5 to 10 % in a few bulk cases only)",
            f"{difference:+.1f} %",
            verdict(abs(difference) <= P4_DIFFERENCE_PERCENT),
        )


def _voice(schemes: Sequence[Scheme], settings: Mapping[str, Any]) -> Iterator[Expectation]:
    if settings["scheduler"] != FIFO and TARGETS[settings["target"]].has_links:
        yield Expectation(
            "in a queue of its own voice hardly loses anything, however much best effort sends (P2)",
            "% lost: " + each_of(schemes, "udp_loss_percent", ".2f"),
            verdict(all((scheme["udp_loss_percent"] or 0) < VOICE_LOSS_PERCENT for scheme in schemes)),
        )
        alone = [scheme for scheme in schemes if scheme["beside_algorithm"] is None]
        ecn, ecn_mod = _one(alone, "ecn"), _one(alone, "ecn-mod")
        if ecn is not None and ecn_mod is not None:
            yield _more_goodput("ecn-mod uses what voice leaves better than ecn (P2, c1 of 1/16)", ecn_mod, ecn)
