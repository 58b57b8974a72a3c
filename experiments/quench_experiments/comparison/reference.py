# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``bench/ns2/reference.yaml``: what ns-2 measured, for readers without it."""

from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from quench.config.yaml_file import ConfigError, YamlFile

from quench_experiments.comparison.errors import ComparisonError
from quench_experiments.comparison.outcome import Spread

HEADER = """\
# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
# What ns-2 gives in the settings of experiments/quench_experiments/comparison/cases.py. Shares and not per cent; bytes;
# [mean, standard deviation of one run]. "measured" is written by 'quench experiment compare ns2 --record'; "extended"
# was entered by hand.
"""


class Measured(BaseModel):
    """Runs of stock ns-2 with the scripts beside the file."""

    model_config = ConfigDict(extra="forbid")

    version: str
    seeds: list[int]
    cases: dict[str, dict[str, tuple[float, float]]]


class Extended(BaseModel):
    """Runs of an ns-2 with source quench added to it."""

    model_config = ConfigDict(extra="forbid")

    how: str
    cases: dict[str, dict[str, tuple[float, float] | float]]


class Reference(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid")

    measured: Measured
    extended: Extended

    def of(self, key: str) -> dict[str, Spread]:
        """Each known metric of a case; empty where nothing is known."""
        if key in self.measured.cases:
            return {name: Spread(mean=mean, sd=sd) for name, (mean, sd) in self.measured.cases[key].items()}
        return {
            name: Spread(mean=value[0], sd=value[1]) if isinstance(value, tuple) else Spread(mean=value)
            for name, value in self.extended.cases.get(key, {}).items()
        }


def read_reference(path: Path) -> Reference:
    """The file. Raises ComparisonError."""
    try:
        return Reference.model_validate(YamlFile(path).values)
    except ConfigError as error:
        raise ComparisonError(str(error)) from None
    except ValidationError as error:
        reason = error.errors()[0]
        raise ComparisonError(f"{path}: {'.'.join(map(str, reason['loc']))}: {reason['msg']}") from None


def write_measured(path: Path, measured: Measured) -> None:
    """Put new measurements into the file; the rest stays."""
    reference = read_reference(path)
    content = {
        "measured": {
            "version": measured.version,
            "seeds": measured.seeds,
            "cases": {
                key: {name: [_short(value) for value in spread] for name, spread in metrics.items()}
                for key, metrics in measured.cases.items()
            },
        },
        "extended": reference.extended.model_dump(mode="json"),
    }
    text = yaml.safe_dump(content, sort_keys=False, width=150, default_flow_style=None, allow_unicode=True)
    path.write_text(HEADER + text, encoding="utf-8")


def _short(value: float) -> float:
    """Six digits: more than the seeds agree on."""
    return float(f"{value:.6g}")
