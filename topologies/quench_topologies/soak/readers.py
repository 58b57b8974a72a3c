# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile readers of every protocol beside the campaign's traffic, in a process of their own.

After each attack a reader asks an honest question, and the campaign counts the answers. The process writes a line about
each visit to a pipe, so that its counts outlive it: it is killed as all others are.
"""

import json
import os
import random
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quench_topologies.errors import TopologyError
from quench_topologies.process import Child, give_session_priority
from quench_topologies.soak.hostile import PROTOCOLS, Listener

NICE = 5
"""The priority of their process: switches and controller precede it."""
PAUSE_S = (0.2, 1.0)
"""The time between two visits to one place: a range from which it is drawn."""
HOLD_S = (0.0, 1.0)
"""The time in seconds that the clients of an attack stay: a range from which it is drawn."""
POLL_S = 0.05
LOG = "readers.log"
Places = Sequence[tuple[str, Sequence[Any]]]
"""Names of protocols, and the arguments of their listeners."""


@dataclass(slots=True)
class Tally:
    """The visits to one protocol."""

    visits: int = 0
    answered: int = 0
    """Honest questions with an answer. There is none while what listens there is broken."""


class Readers:
    """The process, which can be killed and started again, and its counts."""

    def __init__(self, places: Places, seed: int, directory: Path) -> None:
        self._places = places
        self._seed = seed
        self._log = directory / LOG
        self._child: Child | None = None
        self._counting: threading.Thread | None = None
        self._guard = threading.Lock()
        self._tallies = {protocol: Tally() for protocol, _ in places}
        self._answered_s: dict[int, float] = {}

    def start(self) -> None:
        """Start the process, with other draws than the last one had."""
        self._seed += 1
        lines, told = os.pipe()
        task = json.dumps({"seed": self._seed, "report": told, "places": self._places})
        try:
            self._child = Child("the readers", [sys.executable, "-m", __name__, task], self._log, (told,))
        except BaseException:
            os.close(lines)
            raise
        finally:
            os.close(told)
        self._counting = threading.Thread(target=self._count, args=(lines,), name="readers", daemon=True)
        self._counting.start()

    def kill(self) -> None:
        """Kill the process, whatever it holds."""
        if self._child is not None:
            self._child.kill()
        self._ended()

    def stop(self) -> None:
        """End it."""
        if self._child is not None:
            self._child.stop()
        self._ended()

    def check(self) -> None:
        """Raise TopologyError if it has ended by itself."""
        if self._child is not None:
            self._child.check()

    def tallies(self) -> Mapping[str, Tally]:
        """The tallies by protocol."""
        with self._guard:
            return {protocol: Tally(each.visits, each.answered) for protocol, each in self._tallies.items()}

    def unanswered(self, since_s: float, timeout_s: float) -> list[str]:
        """Places where no honest question is answered from this moment (time.monotonic) until the timeout, from now."""
        deadline = time.monotonic() + timeout_s
        while True:
            self.check()
            with self._guard:
                silent = [place for place in range(len(self._places)) if self._answered_s.get(place, 0.0) < since_s]
            if not silent or time.monotonic() > deadline:
                return [f"{self._places[place][0]} at {self._places[place][1][0]}" for place in silent]
            time.sleep(POLL_S)

    def _ended(self) -> None:
        self._child = None
        if self._counting is not None:
            self._counting.join()
            self._counting = None

    def _count(self, lines: int) -> None:
        with os.fdopen(lines) as report:
            for line in report:
                if not line.endswith("\n"):
                    # It was killed within a line.
                    break
                place, answered = map(int, line.split())
                with self._guard:
                    tally = self._tallies[self._places[place][0]]
                    tally.visits += 1
                    tally.answered += answered
                    if answered:
                        self._answered_s[place] = time.monotonic()


def listener_at(protocol: str, arguments: Sequence[Any]) -> Listener:
    """Raises TopologyError for a protocol that there is not."""
    for each in PROTOCOLS:
        if each.protocol == protocol:
            return each(*arguments)
    raise TopologyError(
        f"there is no protocol {protocol!r}: there are {', '.join(each.protocol for each in PROTOCOLS)}"
    )


def _visit(number: int, listener: Listener, draw: random.Random, report: int) -> None:
    """Attack one place, and ask whether it answers, again and again until the process ends."""
    while True:
        listener.attack(draw, draw.uniform(*HOLD_S))
        # Lines are shorter than what a pipe takes at once.
        os.write(report, f"{number} {int(listener.answers())}\n".encode())
        time.sleep(draw.uniform(*PAUSE_S))


def _main(task: Mapping[str, Any]) -> None:
    os.setpriority(os.PRIO_PROCESS, 0, NICE)
    give_session_priority(os.getpid())
    threads = []
    for number, (protocol, arguments) in enumerate(task["places"]):
        draw = random.Random(task["seed"] + (number << 32))
        visitor = (number, listener_at(protocol, arguments), draw, task["report"])
        threads.append(threading.Thread(target=_visit, args=visitor, name=f"{protocol} {number}", daemon=True))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
