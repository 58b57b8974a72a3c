# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""verdicts.json: the report's table for programs."""

import json
from dataclasses import asdict
from typing import Any

from quench_experiments.definition import Verdict
from quench_experiments.report.gather import Chapter, Report


def verdicts_json(report: Report) -> str:
    """Objects ``summary``, ``environment`` and ``experiments`` with their runs and verdicts."""
    content = {
        "summary": report.counts,
        "environment": asdict(report.environment),
        "experiments": [_chapter(chapter) for chapter in report.chapters],
    }
    return json.dumps(content, indent=2) + "\n"


def _chapter(chapter: Chapter) -> dict[str, Any]:
    definition, choice = chapter.experiment.definition, chapter.choice
    return {
        "experiment": chapter.key,
        "title": chapter.experiment.title,
        "paper": definition.paper,
        "section": definition.section,
        "kind": definition.kind,
        "set": None if choice is None else "quick" if choice.quick else "full",
        "runs_planned": chapter.planned,
        "runs_found": chapter.found,
        "failures": chapter.failures,
        "simulated_s": round(chapter.seconds, 3),
        "verdicts": [_verdict(verdict) for verdict in chapter.verdicts],
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    quote = verdict.quote
    return {
        "name": quote.name,
        "text": quote.text,
        "unit": quote.unit,
        "quoted": quote.value,
        "ours": verdict.ours,
        "half_width_95": verdict.half_width,
        "seeds": verdict.seeds,
        "ns2": None if quote.ns2 is None else quote.ns2.value,
        "ns2_deviation": None if quote.ns2 is None else quote.ns2.deviation,
        "verdict": verdict.judgement,
        "reason": verdict.reason,
        "remark": quote.remark,
    }
