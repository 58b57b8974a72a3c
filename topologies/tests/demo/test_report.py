# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""report.html: its words, its charts on paper and in a browser, and the files of its figures."""

import base64
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from quench.report.chart import Band, Bundle, Level, Line
from quench_topologies.demo.bars import comparison, left_out
from quench_topologies.demo.recording import QueueReport, Recording
from quench_topologies.demo.report import write_report
from quench_topologies.demo.scenarios import Scenario, SchemeOptions, parse_scenarios
from quench_topologies.demo.timeline import ends_of, thresholds, timeline
from quench_topologies.demo.verdicts import Expectation
from quench_topologies.demo.words import legend, remarks, settings_in_words, too_busy
from quench_topologies.papers.dumbbell import N1
from quench_topologies.traffic import WindowSample
from recordings import recording, scenario, summary_of
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

SVG = "{http://www.w3.org/2000/svg}"
SETTINGS: dict[str, Any] = {
    "topology": "n1",
    "target": "embedded",
    "tcp": "paper",
    "rate_bps": 10_000_000,
    "delay_one_way_ns": 20_000_000,
    "packet_bytes": 1000,
    "pairs": 4,
    "flows": 8,
    "mix": 0.5,
    "isq_mode": "cpu",
    "reverse_loss": 0.0,
    "scheduler": None,
    "warmup_s": 8.0,
    "measured_s": 20.0,
    "seed": 1,
}
VERSIONS = {"quench": "1", "switch": "2", "kernel": "6.1", "python": "3.11", "finished_at": "2026-01-02T03:04:05Z"}


def run(links: int = 1, beside: bool = False) -> Recording:
    made = recording(3, links=links, beside=beside)
    made.windows = [list(made.before.windows), list(made.after.windows)]
    made.counters = [made.before.counters, made.after.counters]
    return made


def with_flows(windows: list[list[int]]) -> Recording:
    """Flows whose windows were looked at every 0.1 s, at slightly different moments."""
    made = run()
    made.flows = [made.flows[0]] * len(windows)
    made.windows = [
        [WindowSample(8.0 + 0.1 * step + 0.001 * flow, cwnd, 4, 90_000, 0, 0) for step, cwnd in enumerate(each)]
        for flow, each in enumerate(windows)
    ]
    return made


def summary(text: str, made: Recording, pause_s: float = 0.1, **settings: Any) -> dict[str, Any]:
    scheme = summary_of(text, made) | {"longest_pause_s": pause_s}
    return {"settings": SETTINGS | settings, "versions": VERSIONS, "schemes": [scheme]}


@dataclass(frozen=True)
class Page:
    folder: Path
    html: str
    pictures: list[list[str]]
    """The words in each."""


EXPECTED = [Expectation("a < b", "1 & 2", "fails"), Expectation("c", "3", "too_close_to_tell")]


def page(
    folder: Path, texts: str, made: Recording, pause_s: float = 0.1, expected: Sequence[Expectation] = EXPECTED
) -> Page:
    """The page of schemes with commas between, whose recordings are the same."""
    counted = run(len(made.queues), any(flow.beside for flow in made.flows))
    found = [summary(text, counted, pause_s) for text in texts.split(",")]
    whole = found[0] | {"schemes": [each["schemes"][0] for each in found]}
    path = write_report(folder, whole, [(scenario(text), made) for text in texts.split(",")], expected)
    html = path.read_text()
    pictures = [
        ElementTree.fromstring(base64.b64decode(each)) for each in re.findall(r"svg\+xml;base64,([\w+/=]+)\"", html)
    ]
    words = [["".join(each.itertext()) for each in picture.iter(f"{SVG}text")] for picture in pictures]
    return Page(folder, html, words)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Page:
    """The report of two links, on a busy machine, in a folder in which there was a report of more schemes."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "figures").mkdir()
    for name in ("07-ecn-mod.svg", "07-ecn-mod.png", "07-ecn-mod.pdf", "notes.txt"):
        (folder / "figures" / name).touch()
    return page(folder, "ecn-becn:20KB,ecn", run(links=2), pause_s=0.4)


def test_every_link_has_a_plot_and_rows_of_its_own(report: Page) -> None:
    bars, over_time, _ = report.pictures
    assert "Packets lost" in bars
    assert {"link 0, packets", "link 1, packets"} <= set(over_time)
    assert over_time.count("becnthresh 20KB") == 2
    assert '<th scope="row">link 1: queue mean</th>' in report.html


def test_verdicts_settings_and_warnings_are_in_the_page(report: Page) -> None:
    assert re.search(r">NOT so here</span>\s+a &lt; b: 1 &amp; 2</li>", report.html)
    assert re.search(r">too close to tell</span>\s+c: 3</li>", report.html)
    assert "The machine was too busy: once nothing of the demo ran for 0.4 s" in report.html
    assert "<dt>Congested link</dt><dd>10 Mb/s, 20 ms one way</dd>" in report.html
    profile = "minth 15KB, becnthresh 20KB, maxth 45KB, maxp 0.1, wq 0.002, marks at departure, mean packet 1000 bytes"
    assert f"ecn-becn: {profile}" in report.html


def test_figures_are_files_too_and_those_of_an_earlier_run_are_gone(report: Page) -> None:
    folder = report.folder / "figures"
    stems = ("00-schemes", "01-ecn-becn-20KB", "02-ecn")
    names = {f"{stem}.{kind}" for stem in stems for kind in ("svg", "pdf", "png")}
    assert {each.name for each in folder.iterdir()} == names | {"notes.txt"}
    assert (folder / "00-schemes.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "00-schemes.pdf").read_bytes().startswith(b"%PDF-")


def test_one_scheme_alone_is_compared_with_nothing(tmp_path: Path) -> None:
    alone = page(tmp_path, "ecn", run(), expected=())
    assert len(alone.pictures) == 1
    assert {each.name for each in (tmp_path / "figures").iterdir()} == {
        f"01-ecn.{kind}" for kind in ("svg", "pdf", "png")
    }
    assert "<h1>ecn over a congested link</h1>" in re.sub(r"<h1[^>]*>", "<h1>", alone.html)
    assert "side by side" not in alone.html
    assert "All schemes" not in alone.html
    assert "The papers claim nothing about what ran here." in alone.html


def test_numbers_that_are_0_for_all_are_a_sentence_and_no_empty_chart(tmp_path: Path) -> None:
    none = summary_of("red", run()) | {"isqs_sent_pkts": 0}
    assert "Source quenches sent" in left_out([none, none])
    assert "Source quenches sent" not in [panel.title for panel in comparison([none, none])]
    assert all(any(panel.ends()) for panel in comparison([none, none]))


def test_the_difference_of_marks_and_codepoints_is_explained() -> None:
    assert "under way at the beginning and at the end" in legend([summary_of("ecn", run()) | {"marked_pkts": 248}])
    assert "under way" not in legend([summary_of("taildrop", run()) | {"marked_pkts": 0}])


def test_files_of_an_earlier_run_stay_where_one_of_the_new_ones_cannot_be_written(tmp_path: Path) -> None:
    page(tmp_path, "ecn-becn:20KB", run())
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {path.name for path in before} >= {"summary.json", "report.html", "01-ecn-becn-20KB.svg"}
    bad = tmp_path / "figures" / "01-ecn.png"
    bad.mkdir()
    with pytest.raises(IsADirectoryError) as caught:
        page(tmp_path, "ecn", run(links=2))
    assert caught.value.filename == str(bad)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_terminal_and_the_page_have_the_same_remarks() -> None:
    assert too_busy(summary("becn", run(), pause_s=0.2)) is None
    assert remarks(summary("becn", run())) == []
    assert "BMv2 does not delay" in remarks(summary("becn", run(), target="bmv2"))[0]
    assert "about 6 % below the queue" in remarks(summary("becn", run(), target="tna", rate_bps=10_000_000))[0]
    assert "about 79 % below the queue" in remarks(summary("becn", run(), target="tna", rate_bps=500_000))[1]
    assert remarks(summary("becn", run(), target="tna", rate_bps=1_000_000_000)) == []
    assert "Raise --seconds" in remarks(summary("becn", run(), rate_bps=500_000))[0]


def test_settings_are_words_with_units() -> None:
    made = summary("ecn+plain", run(beside=True), rate_bps=512_000, topology="n2", reverse_loss=0.05, pairs=1)
    words = dict(settings_in_words(made))
    assert words["Congested link"] == "512 kb/s, 20 ms one way"
    assert words["Lost on the way back"] == "5 % of the packets"
    assert words["Flows"].endswith("in a mixed run 50 % of them are the others")
    assert words["Finished"] == "2026-01-02 03:04:05 UTC"


def test_windows_are_quantiles_and_single_flows_are_hidden() -> None:
    made = with_flows([[10, 40], [20, 40], [30, 40], [40, 40], [50, 40]])
    (_, windows, _) = timeline(scenario("ecn"), made, ["link"], ends_of([(scenario("ecn"), made)]))
    median = next(part for part in windows.parts if isinstance(part, Line))
    assert (median.label, list(median.y)) == ("median of 5 flows", [30.0, 40.0])
    bands = [part for part in windows.parts if isinstance(part, Band)]
    assert [(band.label, band.low[0], band.high[0]) for band in bands] == [
        ("10 to 90 % of 5 flows", 10.0, 50.0),
        ("25 to 75 % of 5 flows", 20.0, 40.0),
    ]
    (single,) = (part for part in windows.parts if isinstance(part, Bundle))
    assert [list(y) for _, y in single.lines] == [[each, 40.0] for each in (10.0, 20.0, 30.0, 40.0, 50.0)]


def test_single_flows_of_a_long_run_are_some_and_thinned() -> None:
    made = with_flows([[10] * 1002] * 51)
    (_, windows, _) = timeline(scenario("ecn"), made, ["link"], ends_of([(scenario("ecn"), made)]))
    (single,) = (part for part in windows.parts if isinstance(part, Bundle))
    assert (single.label, len(single.lines)) == ("50 of 51 flows (click)", 50)
    assert {(len(x), len(y)) for x, y in single.lines} == {(501, 501)}


def test_few_flows_have_a_line_each() -> None:
    made = with_flows([[10, 20], [20, 10]])
    (_, windows, _) = timeline(scenario("ecn"), made, ["link"], ends_of([(scenario("ecn"), made)]))
    lines = [part for part in windows.parts if isinstance(part, Line)]
    assert [(line.label, line.dash) for line in lines] == [("flow 1", "solid"), ("flow 2", "dashed")]


def test_the_others_flows_are_told_apart() -> None:
    made = run(beside=True)
    (_, windows, _) = timeline(scenario("ecn+plain"), made, ["link"], ends_of([(scenario("ecn+plain"), made)]))
    lines = [part for part in windows.parts if isinstance(part, Line)]
    assert [line.label for line in lines] == ["flow", "the other"]
    assert len({line.colour for line in lines}) == len({line.dash for line in lines}) == 2
    titles = [panel.title for panel in comparison([summary_of("ecn+plain", made)])]
    assert {"Goodput of the scheme's flows", "Goodput of the others"} <= set(titles)
    pair = [summary_of("ecn", run()), summary_of("red", run())]
    assert "Goodput of a flow" in [panel.title for panel in comparison(pair)]


def test_all_schemes_have_the_same_axes() -> None:
    low, high = run(), with_flows([[900, 900]])
    high.before, high.after = low.before, low.after
    high.windows[0] = [WindowSample(10.5, 900, 4, 90_000, 0, 0)]
    runs = [(scenario("ecn"), low), (scenario("mecn"), high)]
    ends = ends_of(runs)
    ranges = [[(panel.x_range, panel.y_range) for panel in timeline(*each, ["link"], ends)] for each in runs]
    assert ranges[0] == ranges[1]
    assert ends.cwnd_pkts > 900
    assert ends.queue_pkts > 80


def test_a_long_queue_trace_is_an_envelope() -> None:
    made = run()
    made.reports = [[QueueReport(made.started_s + 0.02 * step, step % 50, 20.0) for step in range(10_000)]]
    (queue, *_) = timeline(scenario("ecn"), made, ["link"], ends_of([(scenario("ecn"), made)]))
    (band,) = [part for part in queue.parts if isinstance(part, Band)]
    assert band.label == "queue, least to most in 0.5 s"
    assert len(band.x) == len(band.low) == len(band.high) == 400
    assert all(0 <= low < high <= 49 for low, high in zip(band.low, band.high, strict=True))
    assert "average" in [part.label for part in queue.parts if isinstance(part, Line)]


def test_every_curve_has_its_thresholds(tmp_path: Path) -> None:
    def named(text: str) -> set[str]:
        return {level.label for level in thresholds(scenario(text))}

    assert named("taildrop") == set()
    assert named("ecn-becn:20KB") == {"minth 15KB", "becnthresh 20KB", "maxth 45KB", "2 maxth 90KB"}
    file = tmp_path / "own.yaml"
    file.write_text("scheme: curve\npoints: [{depth: 5KB, p1: 0}, {depth: 40pkts, p1: 0.3}]\n")
    (own,) = parse_scenarios([f"curve:{file}"], SchemeOptions(N1.row.thresholds))
    assert [(level.label, level.y) for level in thresholds(own)] == [("5KB", 5.0), ("40pkts", 40.0)]
    assert thresholds(Scenario("pie", {"target": "15ms"}, "ecn")) == []
    made = run()
    panels = timeline(own, made, ["link"], ends_of([(own, made)]))
    assert sum(isinstance(part, Level) for part in panels[0].parts) == 2


def test_bars_say_their_numbers_and_leave_out_what_is_not_known() -> None:
    schemes = [summary_of(text, run()) for text in ("red", "becn")]
    panels = {panel.title: panel for panel in comparison(schemes)}
    assert panels["Packets lost"].texts == ["53", "53"]
    assert [bars.label for bars in panels["Packets lost"].bars] == ["early", "forced", "overflow"]
    assert panels["Source quenches sent"].names == ["red", "becn"]
    assert "UDP lost" not in panels
    unknown = [summary_of("red", recording(None))] * 2
    (lost,) = (panel for panel in comparison(unknown) if panel.title == "Packets lost")
    assert lost.bars[2].values == [None, None]


@pytest.fixture(scope="module")
def browser() -> Iterator[Chrome]:
    options = ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,1000"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with Chrome(options, Service("/usr/bin/chromedriver")) as driver:
        driver.set_script_timeout(60)
        yield driver


_WHEN_DRAWN = """
const done = arguments[0];
const poll = () => window.Bokeh && Bokeh.documents[0]?.is_idle ? done(Bokeh.documents.length) : setTimeout(poll, 50);
poll();
"""
_SINGLE_FLOWS = """
return [...Bokeh.documents[0]._all_models.values()]
    .filter(each => each.type == "GlyphRenderer" && each.glyph.type == "MultiLine").map(each => each.visible);
"""


def test_a_browser_shows_it_without_a_network_and_prints_it(tmp_path: Path, browser: Chrome) -> None:
    page(tmp_path, "becn,ecn", with_flows([[10, 40], [20, 40], [30, 40], [40, 40], [50, 40]]))
    browser.get((tmp_path / "report.html").as_uri())
    assert browser.execute_async_script(_WHEN_DRAWN) == 1
    shown = "return [...document.querySelectorAll(arguments[0])].filter(each => each.offsetHeight > 50).length"
    charts = browser.execute_script(shown, ".chart")
    assert charts == browser.execute_script("return document.querySelectorAll('.chart').length") > 6
    assert browser.execute_script(shown, ".paper img") == 0
    assert browser.execute_script(_SINGLE_FLOWS) == [False, False]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert browser.execute_script(shown, ".chart") == 0
    assert browser.execute_script(shown, ".paper img") == 3
    assert base64.b64decode(browser.print_page()).startswith(b"%PDF")
    log = browser.get_log("browser")  # type: ignore[no-untyped-call]
    assert not [entry for entry in log if entry["level"] == "SEVERE"]
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]  # type: ignore[no-untyped-call]
    asked = [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]
    assert asked
    assert {url.partition(":")[0] for url in asked} <= {"file", "data", "blob"}
