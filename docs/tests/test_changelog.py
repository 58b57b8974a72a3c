# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""CHANGELOG.md has versions with dates, the newest first, and the sections of Keep a Changelog."""

import re
from datetime import date

from quench_docs.programs import ROOT
from quench_switch.version import VERSION as QUENCH

VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+) - (\d{4}-\d{2}-\d{2})")
SECTIONS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")


def test_versions_have_dates_and_sections() -> None:
    headings = re.findall(r"^(##+) (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    titles = [title for level, title in headings if level == "##"]
    if titles[0] == "Unreleased":
        del titles[0]
    versions = [VERSION.fullmatch(title) for title in titles]
    assert versions
    assert None not in versions, titles
    numbers = [tuple(map(int, each.groups()[:3])) for each in versions if each]
    dates = [date.fromisoformat(each.group(4)) for each in versions if each]
    assert numbers == sorted(set(numbers), reverse=True)
    assert dates == sorted(dates, reverse=True)
    assert numbers[0] == tuple(map(int, QUENCH.split(".")))
    assert {title for level, title in headings if level == "###"} <= set(SECTIONS)
    assert {level for level, _ in headings} == {"##", "###"}
