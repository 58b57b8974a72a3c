# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Rounds of random steps on a switch until time or messages run out."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from .configs import Config
from .draw import Draw
from .plan import Plan
from .player import Disagreement, Player
from .process import SwitchProcess
from .steps import Step, save

_log = logging.getLogger(__name__)

ROUND_MESSAGES: Final = 1500
REPORT_S: Final = 10.0
MAX_FINDINGS: Final = 20
"""Disagreements after which a campaign gives up."""


@dataclass
class Result:
    """The result of a campaign."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[tuple[Path, str]] = field(default_factory=list)
    """Kept sequences that fail, with what went wrong."""
    seconds: float = 0.0
    idle_bytes: int = 0
    """Memory of the switch before its first message."""
    peak_bytes: int = 0
    now_bytes: int = 0
    slowest_s: float = 0.0
    switch_cpu_s: float = 0.0

    def __str__(self) -> str:
        rate = self.counts["messages"] / max(self.seconds, 1e-9)
        return (
            f"{self.counts['messages']} messages in {self.seconds:.0f} s ({rate:.0f}/s), "
            f"{self.counts['updates accepted']} updates accepted and {self.counts['updates refused']} refused, "
            f"{len(self.findings)} disagreements, slowest call {self.slowest_s:.2f} s, switch: "
            f"{(self.now_bytes - self.idle_bytes) / 1e6:.0f} MB above {self.idle_bytes / 1e6:.0f} MB, "
            f"{(self.peak_bytes - self.idle_bytes) / 1e6:.0f} MB at the most, "
            f"{self.switch_cpu_s:.0f} s of processor time"
        )


class Campaign:
    """Switch processes, one after the other, and the steps that are sent to them."""

    def __init__(
        self, seed: int, configs: Sequence[Config], folder: Path, round_messages: int = ROUND_MESSAGES
    ) -> None:
        self._draw = Draw(seed)
        self._seed = seed
        self._configs = configs
        self._folder = folder
        self._round_messages = round_messages
        self._rounds = 0
        self._deadline = 0.0
        self._messages: int | None = None
        self.result = Result()

    def run(self, seconds: float, messages: int | None = None) -> Result:
        """Play sequences until the time or the number of messages is reached.

        A disagreement is kept and ends the process that it was found with.
        """
        start = time.monotonic()
        self._deadline, self._messages = start + seconds, messages
        while self._goes_on():
            before = Counter(self.result.counts)
            cpu_before_s = self.result.switch_cpu_s
            with SwitchProcess(self._folder) as switch:
                self.result.idle_bytes = self.result.idle_bytes or switch.rss_bytes()
                player = Player(switch.address)
                last_report = time.monotonic()
                found = False
                while not found and self._goes_on():
                    self._rounds += 1
                    found = self._round(player, switch)
                    self.result.counts = before + player.counts
                    self.result.seconds = time.monotonic() - start
                    self.result.slowest_s = max(self.result.slowest_s, player.connection.slowest_s)
                    if switch.exit_code is None:
                        self.result.switch_cpu_s = cpu_before_s + switch.cpu_s()
                    if time.monotonic() - last_report > REPORT_S:
                        last_report = time.monotonic()
                        _log.info("%s", self.result)
                player.close()
                status, error = switch.stop(), switch.logged_error()
                if not found and (status or error):
                    self._keep([], f"the switch ends with status {status}, its log has: {error}")
        return self.result

    def _goes_on(self) -> bool:
        return (
            time.monotonic() < self._deadline
            and (self._messages is None or self.result.counts["messages"] < self._messages)
            and len(self.result.findings) < MAX_FINDINGS
        )

    def _round(self, player: Player, switch: SwitchProcess) -> bool:
        """Whether a disagreement was found."""
        played: list[Step] = []
        plan = Plan(self._draw, player.model, self._configs, self._rounds)
        try:
            for step in plan.steps(self._round_messages):
                played.append(step)
                player.play(step)
                if len(played) % 50 == 0:
                    self.result.now_bytes = switch.rss_bytes()
                    self.result.peak_bytes = max(self.result.peak_bytes, self.result.now_bytes)
                if time.monotonic() > self._deadline and step.kind == "read":
                    self._leave(player, plan)
                    return False
        except Disagreement as disagreement:
            dead = "" if switch.exit_code is None else f" (and the switch ended with status {switch.exit_code})"
            self._keep(played, f"{disagreement}{dead}")
            return True
        except Exception as error:
            self._keep(played, f"the model broke: {error!r}")
            raise
        return False

    @staticmethod
    def _leave(player: Player, plan: Plan) -> None:
        for step in plan.closing():
            player.play(step)

    def _keep(self, steps: Sequence[Step], what: str) -> None:
        path = self._folder / f"seed-{self._seed}-round-{self._rounds}.json"
        save(path, steps, what)
        self.result.findings.append((path, what))
        _log.error("%s: %s", path, what)
