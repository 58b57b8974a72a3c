# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - a program for people
"""Mutants of configurations, profiles, experiments and requests: ``python experiments/tests/fuzz_inputs.py --time 60``.

Each is taken, or refused by the error that its reader documents, within 5 s of processor time. Any other is kept in the
folder of ``--keep``. The seed is printed, and is a new one each time.
"""

import argparse
import itertools
import random
import re
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError
from quench.config import load_config
from quench.config.file import load_profiles
from quench.errors import ConfigError
from quench.service.requests import InvalidRequestError, parse_line
from quench_experiments.definition.load import load

ROOT = Path(__file__).resolve().parents[2]
SLOW_S = 5.0
TOKENS = [
    *(
        "&a ",
        "*a",
        "[",
        "]",
        "{",
        "}",
        ": ",
        "\n",
        "- ",
        "!!int ",
        "!!set ",
        "!!omap ",
        "<<: ",
        "? ",
        "|",
        "'",
        '"',
        "#",
    ),
    *("null", "~", "true", "1e400", "-1", "1e-320", "0x", "9" * 20, "''", "\t", "\0", "é", "\U0001f600", "$x", "${"),
    *("%YAML 1.9\n", "---\n", "...", "2024-01-01", ".nan", ".inf", "-.inf", "1:1:1", "{a: b}", "[1, 2]", "15KB", "0"),
]
GUIDE = (ROOT / "docs" / "how-to" / "controller.md").read_text(encoding="utf-8")
CONFIGS = [GUIDE.split("```yaml")[1].split("```")[0]]
PROFILES = [
    "scheme: curve\npoints:\n  - {depth: 5KB, p1: 0.0}\n  - {depth: 20KB, p1: 0.05, isq: true}\n",
    "scheme: ecn-becn\nminth: 15KB\nbecnthresh: 20KB\nmaxth: 45KB\n",
]
EXPERIMENTS = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "experiments" / "papers").glob("*.yaml"))]
REQUESTS = [
    '{"method": "thresholds.set", "params": {"switch": "s1", "port": 2, "rate": "10Mbps", "settings": {"scheme": "ecn",'
    ' "minth": "15KB", "maxth": "45KB", "wq": 0.002}}}',
    '{"method": "isq.set", "params": {"mode": "cpu", "per_queue": {"rate": 3}}}',
]


def mutated(text: str, rng: random.Random) -> str:
    """The text with one to four changes."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(text) + 1)
        match rng.randrange(5):
            case 0:
                text = text[:at] + rng.choice(TOKENS) + text[at:]
            case 1:
                text = text[:at] + text[at + rng.randint(1, 20) :]
            case 2:
                lines = text.split("\n")
                lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
                text = "\n".join(lines)
            case 3:
                values = list(re.finditer(r"(?<=: )[^,}\n]+", text))
                if values:
                    value = rng.choice(values)
                    text = text[: value.start()] + rng.choice(TOKENS) + text[value.end() :]
            case _:
                text = text[:at] + chr(rng.randrange(32, 127)) + text[at:]
    return text


def main() -> int:
    """Fuzz; the status is 1 if something was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time", type=float, default=60.0, help="seconds")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32))
    parser.add_argument("--keep", type=Path, default=Path("out/fuzz"))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    rng = random.Random(arguments.seed)
    tried: Counter[str] = Counter()
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input.yaml"
        kinds: list[tuple[str, list[str], Callable[[str], object], tuple[type[Exception], ...]]] = [
            ("configuration", CONFIGS, lambda _: load_config(path), (ConfigError,)),
            ("profile", PROFILES, lambda _: load_profiles(path, {}), (ConfigError, ValidationError)),
            ("experiment", EXPERIMENTS, lambda _: load(path), (ConfigError,)),
            ("request", REQUESTS, lambda text: parse_line(text.encode()), (InvalidRequestError,)),
        ]
        end = time.monotonic() + arguments.time
        for kind, originals, read, expected in itertools.cycle(kinds):
            if time.monotonic() > end:
                break
            text = mutated(rng.choice(originals), rng)
            path.write_text(text, encoding="utf-8")
            start = time.process_time()
            fault = ""
            try:
                read(text)
                tried[f"{kind} taken"] += 1
            except expected:
                tried[f"{kind} refused"] += 1
            except Exception as error:  # noqa: BLE001 - this is what it looks for
                where = traceback.extract_tb(error.__traceback__)[-1]
                fault = f"{kind}: {type(error).__name__}: {error} ({where.filename}:{where.lineno})"
            if time.process_time() - start > SLOW_S:
                fault = fault or f"{kind}: slow"
            if fault:
                found[fault] += 1
                if found[fault] == 1:
                    arguments.keep.mkdir(parents=True, exist_ok=True)
                    kept = arguments.keep / f"input-{arguments.seed}-{len(found)}.txt"
                    kept.write_text(text, encoding="utf-8")
                    print(f"{kept}: {fault}")
    print(", ".join(f"{name} {count}" for name, count in sorted(tried.items())))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
