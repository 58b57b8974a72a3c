# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The report: results of runs that are there, and words about missing ones."""

import base64
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
import yaml
from experiment_file import write_experiment
from fake_simulation import FAILS, simulate, write_program
from markdown_it import MarkdownIt
from quench_experiments.cli import catalogue, run_cmd
from quench_experiments.cli.app import app
from quench_experiments.definition import keys
from typer.testing import CliRunner, Result

SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "img"}


class Page(HTMLParser):
    """Checks that elements are closed in order, and collects text by element."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.cells: list[list[str]] = []
        self.headings: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if "id" in values:
            self.ids.append(str(values["id"]))
        if tag == "a":
            self.links.append(str(values["href"]))
        if tag == "img":
            self.images.append(values)
        if tag == "tr":
            self.cells.append([])
        if tag in ("td", "th"):
            self.cells[-1].append("")
        if tag in ("h2", "h3"):
            self.headings.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.open):
            self.cells[-1][-1] += data
        if {"h2", "h3"} & set(self.open):
            self.headings[-1] += data


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_cmd, "SIMULATE", simulate)
    monkeypatch.setattr(catalogue, "known_keys", lambda: ["P1.E"])


@pytest.fixture
def _all_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "known_keys", keys)


def experiment(tmp_path: Path, *arguments: object) -> Result:
    more = ["--out", tmp_path / "out", "--program", write_program(tmp_path)]
    words = [str(each) for each in (*arguments, *more)]
    return CliRunner().invoke(app, words, prog_name="quench experiment")


def report(tmp_path: Path, *arguments: object) -> tuple[str, str, dict[str, object]]:
    """HTML, Markdown, and the file's experiment in verdicts.json."""
    result = experiment(tmp_path, "report", *arguments)
    assert result.exit_code == 0, result.output
    folder = tmp_path / "out"
    found = json.loads((folder / "verdicts.json").read_text())
    small = [each for each in found["experiments"] if each["experiment"] == "small"]
    return (folder / "report.html").read_text(), (folder / "report.md").read_text(), small[0] if small else {}


def test_quoted_and_ours_stand_side_by_side(tmp_path: Path) -> None:
    experiment(tmp_path, "run", write_experiment(tmp_path, [1, 2]), "--jobs", 1)
    html, text, small = report(tmp_path)
    rows = [row for row in Page(html).cells if row[0] == "two flows get 3 kb/s each"]
    # Seeds 1 and 2 give 2 and 4: a mean of 3, and t(1) = 12.71 times the standard error of 1.
    assert [row[:4] for row in rows] == [["two flows get 3 kb/s each", "3 kb/s", "3 ± 13 kb/s", "3.10 ± 0.10 kb/s"]]
    assert rows[0][4] == "✓ within tolerance"
    assert "| two flows get 3 kb/s each | 3 kb/s | 3 ± 13 kb/s | 3.10 ± 0.10 kb/s | ✓ within tolerance |" in text
    first, second = small["verdicts"]  # type: ignore[misc]
    assert (first["quoted"], first["ours"], first["ns2"], first["seeds"]) == (3, 3, 3.1, 2)
    assert first["half_width_95"] == pytest.approx(12.706, abs=1e-3)
    assert first["verdict"] == "within tolerance"
    assert second["verdict"] == "different"
    assert second["quoted"] is None
    assert second["remark"] == "The simulation of these tests knows no flows."
    assert "The simulation of these tests knows no flows." in html


@pytest.mark.usefixtures("_all_of_ours", "_loaded_once")
def test_every_experiment_is_there_and_what_was_not_run_is_said(tmp_path: Path) -> None:
    html, text, _ = report(tmp_path)
    page = Page(html)
    for key in keys():
        assert key in page.ids
        assert f"#{key}" in page.links
        assert f"## {key} " in text
    verdicts = json.loads((tmp_path / "out/verdicts.json").read_text())
    assert [each["experiment"] for each in verdicts["experiments"]] == keys()
    simulated = [each for each in verdicts["experiments"] if each["kind"] == "simulated"]
    assert {verdict["verdict"] for each in simulated for verdict in each["verdicts"]} == {"not run"}
    assert all(verdict["ours"] is None for each in simulated for verdict in each["verdicts"])
    assert f"Not run: run &#39;quench experiment run {simulated[0]['experiment']}&#39;." in html


def test_missing_and_failed_runs_are_said_with_the_reason(tmp_path: Path) -> None:
    experiment(tmp_path, "run", write_experiment(tmp_path, [1, FAILS]), "--jobs", 1)
    html, text, small = report(tmp_path)
    assert "4 of 8 runs of the full set: 4 are missing, 4 of them failed." in html
    assert f"small/ecn/n=2/seed={FAILS}: ValueError: seed {FAILS} is refused" in html
    assert f"- small/ecn/n=2/seed={FAILS} failed: ValueError: seed {FAILS} is refused" in text
    assert (small["runs_planned"], small["runs_found"]) == (8, 4)
    assert len(small["failures"]) == 4  # type: ignore[arg-type]


def test_results_of_another_program_are_not_shown(tmp_path: Path) -> None:
    experiment(tmp_path, "run", write_experiment(tmp_path, [1]), "--jobs", 1)
    program = tmp_path / "other"
    program.mkdir()
    write_program(program).write_text("{ }")
    words = ["report", "--out", tmp_path / "out", "--program", program / "quench.json"]
    assert CliRunner().invoke(app, [str(word) for word in words]).exit_code == 0
    assert "0 of 4 runs of the full set: 4 are missing." in (tmp_path / "out/report.html").read_text()


def test_it_shows_the_set_that_was_run_last_or_the_one_asked_for(tmp_path: Path) -> None:
    experiment(tmp_path, "run", write_experiment(tmp_path, [1, 2]), "--quick", "--jobs", 1)
    assert "2 of 2 runs of the quick set." in report(tmp_path)[0]
    assert "2 of 8 runs of the full set: 6 are missing." in report(tmp_path, "--full")[0]


def test_the_page_stands_alone_and_is_accessible(tmp_path: Path) -> None:
    experiment(tmp_path, "run", write_experiment(tmp_path, [1, 2]), "--jobs", 1)
    html, _, _ = report(tmp_path)
    page = Page(html)
    assert '<html lang="en">' in html
    assert len(page.ids) == len(set(page.ids))
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    assert page.images
    for image in page.images:
        assert image["alt"]
        assert str(image["src"]).startswith("data:image/svg+xml;base64,")
    outside = re.sub(r"data:image/svg\+xml;base64,[A-Za-z0-9+/=]+", "", html)
    assert not re.search(r"https?://|<script|<link|@import|url\(", outside)
    assert page.headings[0] == "Summary"


def test_figures_have_a_curve_for_each_scheme_and_their_numbers(tmp_path: Path) -> None:
    experiment(tmp_path, "run", write_experiment(tmp_path, [1, 2]), "--jobs", 1)
    html, text, _ = report(tmp_path)
    (source,) = re.findall(r'src="data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)"', html)
    picture = ElementTree.fromstring(base64.b64decode(source))
    words = ["".join(each.itertext()) for each in picture.iter(f"{SVG}text")]
    assert {"plain", "ecn", "Goodput (kb/s)"} <= set(words)
    assert "<figcaption>Goodput by flows (like figure 7)</figcaption>" in html
    numbers = Page(html).cells
    head = numbers.index(["n", "plain", "ecn"])
    assert numbers[head + 1 : head + 3] == [["1", "3 ± 13", "3 ± 13"], ["2", "3 ± 13", "3 ± 13"]]
    assert "![Goodput by flows (like figure 7)](figures/small-goodput.svg)" in text
    assert (tmp_path / "out/figures/small-goodput.svg").read_bytes() == base64.b64decode(source)
    assert (tmp_path / "out/figures/small-goodput.pdf").read_bytes().startswith(b"%PDF")
    assert {"expected", "ns-2"} <= set(words)


def test_the_same_results_give_the_same_bytes(tmp_path: Path) -> None:
    experiment(tmp_path, "run", write_experiment(tmp_path, [1, 2]), "--jobs", 1)
    assert report(tmp_path) == report(tmp_path)


def test_what_is_read_into_the_text_is_there(tmp_path: Path) -> None:
    experiment(tmp_path, "run", write_experiment(tmp_path, [1]), "--jobs", 1)
    html, text, _ = report(tmp_path)
    assert "<li>Nothing is read into anything here.</li>" in html
    assert "- Nothing is read into anything here." in text


def test_one_experiment_has_a_report_of_its_own(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1, 2])
    experiment(tmp_path, "run", file, "--jobs", 1)
    result = experiment(tmp_path, "report", file, "P1.E")
    assert result.exit_code == 0, result.output
    assert not (tmp_path / "out/report.html").exists()
    for key, other in (("small", "P1.E"), ("P1.E", "small")):
        folder = tmp_path / "out/reports" / key
        page = Page((folder / "report.html").read_text())
        assert key in page.ids
        assert other not in page.ids
        verdicts = json.loads((folder / "verdicts.json").read_text())
        assert [each["experiment"] for each in verdicts["experiments"]] == [key]
    assert "](figures/small-goodput.svg)" in (tmp_path / "out/reports/small/report.md").read_text()
    assert (tmp_path / "out/reports/small/figures/small-goodput.svg").exists()


def test_an_experiment_may_leave_nothing_open(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1])
    values = yaml.safe_load(file.read_text())
    del values["readings"]
    file.write_text(yaml.safe_dump(values))
    shown = CliRunner().invoke(app, ["show", str(file)])
    assert shown.exit_code == 0, shown.output
    assert "Read into the text" not in shown.output
    assert experiment(tmp_path, "run", file, "--jobs", 1).exit_code == 0
    assert experiment(tmp_path, "report", file).exit_code == 0
    for name in ("report.html", "report.md"):
        assert "Read into the text" not in (tmp_path / "out/reports/small" / name).read_text()


def test_a_users_own_file_is_not_the_papers(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1])
    values = yaml.safe_load(file.read_text())
    del values["paper"], values["section"]
    del values["quotes"][0]["ns2"]
    file.write_text(yaml.safe_dump(values))
    shown = CliRunner().invoke(app, ["show", str(file)]).output
    assert shown.startswith("small: An experiment of a test\n")
    assert "What is expected" in shown
    experiment(tmp_path, "run", file, "--jobs", 1)
    printed = experiment(tmp_path, "report", file).output
    folder = tmp_path / "out/reports/small"
    html, text = ((folder / name).read_text() for name in ("report.html", "report.md"))
    page = re.sub(r"base64,[^\"]*", "", html[html.index("<body>") :])
    for words in (shown, printed, page, text):
        assert not re.search(r"paper|quoted|Quench, |ns-2|Read into", words), words
    assert "<title>An experiment of a test on Quench</title>" in html
    assert text.startswith("# An experiment of a test on Quench\n")
    assert "2 results that are expected, beside what our simulator" in html
    heads = [row for row in Page(html).cells if row[0] in ("experiment", "what is expected")]
    assert heads[0][:2] == ["experiment", "runs"]
    assert heads[1] == ["what is expected", "expected", "ours", "verdict", "reason"]
    assert "from the expected value" in text
    both = experiment(tmp_path, "report")
    assert both.exit_code == 0, both.output
    html = (tmp_path / "out/report.html").read_text()
    assert "<h1>The papers&#39; experiments and others on Quench</h1>" in html
    assert ["small An experiment of a test", "", "4/4"] in [row[:3] for row in Page(html).cells]


def test_a_papers_experiment_keeps_its_words(tmp_path: Path) -> None:
    experiment(tmp_path, "report", "P1.E")
    html = (tmp_path / "out/reports/P1.E/report.html").read_text()
    assert "<h1>The papers&#39; experiments on Quench</h1>" in html
    assert ["what is said", "quoted", "ours", "ns-2", "verdict", "reason"] in Page(html).cells
    assert "Nothing was tuned to a quoted number." in html
    assert re.search(r'<p class="source">P1, section ', html)
    assert "Read into the text" in html


HOSTILE = "<script>alert(1)</script> ![x](http://y) | [z](javascript:1) ``` {{ 7*7 }} & 'q\"'"


def test_hostile_texts_are_shown_as_they_are(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1, FAILS], name="it's <b>&amp; {{ 1 }} [k](l)")
    values = yaml.safe_load(file.read_text())
    values |= {"title": HOSTILE, "about": f"# {HOSTILE}", "readings": [f"1. {HOSTILE}", f"- {HOSTILE}"]}
    values["quotes"][0] |= {"text": HOSTILE, "unit": "<i>", "remark": HOSTILE}
    values["figures"][0] |= {"title": HOSTILE, "x_label": HOSTILE}
    file.write_text(yaml.safe_dump(values))
    experiment(tmp_path, "run", file, "--jobs", 1)
    html, text, _ = report(tmp_path)
    page = Page(html)
    assert any(row[0] == HOSTILE for row in page.cells)
    assert all(link.startswith("#") and unquote(link[1:]) in page.ids for link in page.links)
    assert not re.search(r"<(script|b|i)>", html)
    # As Markdown, with HTML allowed.
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    inner = [child for token in tokens for child in token.children or ()]
    assert not [token.type for token in (*tokens, *inner) if "html" in token.type or "code" in token.type]
    assert not [token for token in inner if token.type == "link_open"]
    images = [str(token.attrs["src"]) for token in inner if token.type == "image"]
    assert [(tmp_path / "out" / unquote(source)).exists() for source in images] == [True]
    shown = "".join(token.content for token in inner if token.type in ("text", "text_special"))
    assert shown.count(HOSTILE) >= 6
    assert [token.tag for token in tokens if token.type == "heading_open"].count("h1") == 1
