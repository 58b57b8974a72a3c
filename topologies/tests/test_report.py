# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""report.html of runs with several links and two kinds of flows."""

import base64
import re
from pathlib import Path
from xml.etree import ElementTree

from quench_topologies.demo.report import write_report
from quench_topologies.demo.verdicts import Expectation
from recordings import recording, scenario, summary_of

SVG = "{http://www.w3.org/2000/svg}"


def report(tmp_path: Path, text: str, links: int, beside: bool) -> tuple[str, list[str]]:
    """The file, and the words in its only picture."""
    made = recording(3, links=links, beside=beside)
    made.windows = [list(made.before.windows), list(made.after.windows)]
    made.counters = [made.before.counters, made.after.counters]
    summary = {"settings": {"topology": "n1"}, "versions": {}, "schemes": [summary_of(text, made)]}
    expected = [Expectation("a < b", "1 & 2", "fails")]
    write_report(tmp_path / "report.html", summary, [(scenario(text), made)], expected)
    html = (tmp_path / "report.html").read_text()
    (image,) = re.findall(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)\"", html)
    picture = ElementTree.fromstring(base64.b64decode(image))
    return html, ["".join(each.itertext()) for each in picture.iter(f"{SVG}text")]


def test_every_link_has_a_plot_and_rows_of_its_own(tmp_path: Path) -> None:
    html, words = report(tmp_path, "mecn", links=2, beside=False)
    assert {"link 0 [packets]", "link 1 [packets]"} <= set(words)
    assert words.count(" midth 30KB") == 2
    assert '<th scope="row">link 1: queue mean</th>' in html
    assert "a &lt; b: 1 &amp; 2.<span" in html.replace(". <span", ".<span")


def test_the_others_flows_are_told_apart(tmp_path: Path) -> None:
    _, words = report(tmp_path, "ecn+plain", links=1, beside=True)
    assert "queue [packets]" in words
    assert any("red: others" in word for word in words)
    _, words = report(tmp_path, "ecn", links=1, beside=False)
    assert not any("red: others" in word for word in words)
