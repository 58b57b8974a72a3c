# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Run a campaign, or play a kept sequence again."""

from __future__ import annotations

import argparse
import logging
import secrets
import sys
from pathlib import Path
from typing import Final

from .campaign import Campaign
from .configs import ROOT, all_configs
from .minimise import minimise, replay
from .steps import load, save

MAX_SHORTENED: Final = 3
"""Findings that are shortened: after the first ones the switch is to be mended."""

_log = logging.getLogger("p4runtime_model")


def main() -> int:
    """The exit status: 1 if the switch and the model differ."""
    parser = argparse.ArgumentParser(prog="python -m p4runtime_model", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to send messages")
    parser.add_argument("--messages", type=int, help="stop after so many messages")
    parser.add_argument("--seed", type=int, help="of the messages; a new one is drawn and printed by default")
    parser.add_argument("--program", type=Path, action="append", default=[], help="a P4 program to use besides")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz" / "p4runtime", help="for what fails")
    parser.add_argument("--minimise-seconds", type=float, default=120.0, help="for each failing sequence; 0 for not")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="play a kept sequence on a fresh switch")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    if options.replay is not None:
        wrong = replay(load(options.replay), options.folder)
        _log.info("%s", wrong or "the switch and the model agree")
        return int(wrong is not None)
    seed = options.seed if options.seed is not None else secrets.randbits(32)
    _log.info("seed %d", seed)
    result = Campaign(seed, all_configs(options.program), options.folder).run(options.seconds, options.messages)
    for path, _ in result.findings[:MAX_SHORTENED]:
        _shorten(path, options.folder, options.minimise_seconds)
    for name, count in sorted(result.counts.items()):
        _log.info("%12d %s", count, name)
    _log.info("seed %d: %s", seed, result)
    return int(bool(result.findings))


def _shorten(path: Path, folder: Path, seconds: float) -> None:
    steps = load(path)
    if seconds <= 0 or not steps:
        return
    wrong = replay(steps, folder)
    if wrong is None:
        _log.warning("%s does not fail again on a fresh switch", path)
        return
    steps = minimise(steps, lambda fewer: replay(fewer, folder) is not None, seconds)
    shorter = path.with_suffix(".min.json")
    save(shorter, steps, replay(steps, folder) or wrong)
    _log.info("%s: %d steps, replay with --replay", shorter, len(steps))


if __name__ == "__main__":
    sys.exit(main())
