# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""The blind attacks of RFC 5927 with source quenches: the table of docs/reliability/attacks.md."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from contextlib import ExitStack, closing

from hostlab.blind import FAT, LONG, RELAXED, SHORT, Outcome, Target
from hostlab.netns import Namespace


def measure(guesses: int, seed: int) -> list[tuple[str, str, Outcome]]:
    """An outcome for each path, with the default settings and with relaxed ones."""
    outcomes = []
    for path in (SHORT, LONG, FAT):
        for name, rules in (("default", ()), ("relaxed", RELAXED)):
            with ExitStack() as stack:

                def make(stack: ExitStack = stack) -> Namespace:
                    ns = Namespace(f"qblind-{os.getpid()}-{secrets.token_hex(3)}")
                    stack.callback(ns.delete)
                    return ns

                target = stack.enter_context(closing(Target(make, path, *rules)))
                outcomes.append(
                    (f"{path.name}, {2000 * path.one_way_delay_s:g} ms", name, target.attack(guesses, seed))
                )
                target.disable()
    return outcomes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--guesses", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=secrets.randbits(31))
    arguments = parser.parse_args()
    say = sys.stdout.write
    say(f"seed {arguments.seed}\n\n")
    say("| path | in flight | settings | guesses | guesses a second | expected | accepted | windows cut |\n")
    say("|---|---|---|---|---|---|---|---|\n")
    for path, settings, outcome in measure(arguments.guesses, arguments.seed):
        secret_bits = 48 if settings == "default" else 32
        expected = outcome.guesses * outcome.in_flight_bytes / 2**secret_bits
        say(
            f"| {path} | {outcome.in_flight_bytes / 1e3:,.0f} KB | {settings} | {outcome.guesses:,} "
            f"| {outcome.guesses_per_s:,.0f} | {expected:.2g} | {outcome.accepted} | {outcome.windows_cut} |\n"
        )


if __name__ == "__main__":
    main()
