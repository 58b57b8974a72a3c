# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The live page in a browser: what it shows, what a drag does, and that it needs nobody but its server."""

import asyncio
import csv
import time
from collections.abc import Iterator

import pytest
from browser import RESTS_S, TOKEN, Browser, served
from live_source import MadeUp, Recorded
from PIL import Image
from quench.feed.model import Change, Sample
from quench.profiles import parse_settings
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    made = Browser(tmp_path_factory.mktemp("downloads"))
    yield made
    made.close()


@pytest.fixture
def source() -> MadeUp:
    return MadeUp(flows=3, past_s=5.0)


@pytest.fixture
def page(browser: Browser, source: MadeUp) -> Iterator[Browser]:
    browser.faults()
    browser.requested_hosts()
    with served(source) as url:
        browser.driver.get("about:blank")
        browser.driver.get(url)
        browser.wait(lambda: browser.text("#state") == "Live")
        browser.wait(lambda: browser.line("minth") and browser.column("utilisation"))
        yield browser
        browser.driver.get("about:blank")


def test_the_page_shows_everything_and_needs_no_other_host(page: Browser) -> None:
    assert page.text(".queue h2") == "s1 · port 1 · queue 0 · 10Mbps"
    page.wait(lambda: page.text(".queue .figures").startswith("ecn-becn, depth"))
    page.wait(lambda: page.text(".counters").startswith("MyIngress.seen_by_me"))
    for column in ("depth_pkts", "average_pkts", "marked_pps", "isqs_pps", "utilisation"):
        count = len(page.column(column))
        assert count > 40
        page.wait(lambda column=column, count=count: len(page.column(column)) > count)
    page.wait(lambda: len(page.driver.find_elements(By.CSS_SELECTOR, "#flows .flow-table tbody tr")) == 3)
    page.wait(lambda: "reactions isq marked" in page.text("#flows .hosts"))
    assert page.run("return document.querySelectorAll('#network [role=button]').length") == 1
    assert page.line("minth", "height")["location"] == 10
    # The token is in no address that a history keeps.
    assert "token" not in page.driver.current_url
    assert page.requested_hosts() == {"127.0.0.1"}
    assert page.faults() == []


def overview(page: Browser) -> list[list[str]]:
    """Switch, port, queue and scheme of each row."""
    rows = "return [...document.querySelectorAll('#overview tbody tr')].map((row) => [...row.cells].slice(0, 4)"
    return list(page.run(f"{rows}.map((cell) => cell.textContent))"))


def show(browser: Browser, url: str) -> None:
    """The page anew."""
    browser.driver.get("about:blank")
    browser.driver.get(url)
    browser.wait(lambda: browser.text("#state") == "Live" and browser.text("#overview td"))


@pytest.mark.parametrize("dimension", ["width", "height"])
def test_a_hand_that_rests_on_a_line_drags_it(page: Browser, source: MadeUp, dimension: str) -> None:
    page.drag("minth", 5, dimension, rests_s=RESTS_S)
    page.wait(lambda: source.changes)
    assert page.value("minth") in {"4KB", "5KB", "6KB"}


@pytest.mark.parametrize("dimension", ["width", "height"])
def test_a_line_that_is_dragged_beyond_its_scale_stays_at_the_end(
    page: Browser, source: MadeUp, dimension: str
) -> None:
    end = page.line("maxth", dimension)["end"]
    page.drag("maxth", 1.2 * end, dimension)
    page.wait(lambda: source.changes)
    assert abs(float(page.value("maxth").removesuffix("KB")) - end) <= 1
    page.wait(lambda: page.text(".settings .done") == "Applied")


def test_the_keyboard_moves_a_line(page: Browser, source: MadeUp) -> None:
    handle = page.driver.find_element(By.CSS_SELECTOR, ".handle.level[data-name=minth]")
    assert handle.get_attribute("role") == "slider"
    handle.send_keys(Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_DOWN)
    assert page.value("minth") == "11KB"
    assert handle.get_attribute("aria-valuetext") == "11KB"
    handle.send_keys(Keys.ESCAPE)
    assert page.value("minth") == "10KB"
    handle.send_keys(Keys.PAGE_DOWN, Keys.ARROW_UP, Keys.ENTER)
    page.wait(lambda: source.changes)
    [change] = source.changes
    assert change.settings is not None
    assert change.settings.model_dump(mode="json")["minth"] == "1KB"


def test_a_drag_changes_the_profile_and_the_charts(page: Browser, source: MadeUp) -> None:
    page.drag("minth", 5)
    page.wait(lambda: source.changes)
    [change] = source.changes
    assert change.settings is not None
    minth = {name: change.settings.in_pkts(depth) for name, depth in change.settings.named_depths()}["minth"]
    # A line stops at whole kilobytes, which are packets here.
    assert minth in {4, 5, 6}
    assert (change.rate, change.isq_mode) == (None, None)
    page.wait(lambda: page.line("minth", "height").get("location") == minth)
    page.wait(lambda: page.text("#changes li"))
    assert page.run("return document.querySelector('#changes li').value") == 1
    assert page.text(".settings .error") == ""


def test_what_is_typed_is_one_change(page: Browser, source: MadeUp) -> None:
    Select(page.field("scheme")).select_by_value("mecn")
    page.wait(lambda: page.line("midth"))
    for name, text in (("minth", "6KB"), ("rate", "20Mbps")):
        page.field(name).clear()
        page.field(name).send_keys(text)
    page.field("minth").send_keys(Keys.ARROW_DOWN)
    Select(page.field("mark_at")).select_by_value("tail")
    Select(page.field("isq_mode")).select_by_value("dataplane")
    # A line that is dragged while other edits wait is one of the edits.
    page.drag("maxth", 26)
    assert source.changes == []
    page.driver.find_element(By.CSS_SELECTOR, ".settings [type=submit]").click()
    page.wait(lambda: page.text(".settings .done") == "Applied")
    [change] = source.changes
    assert change.settings is not None
    settings = change.settings.model_dump(mode="json")
    assert (settings["scheme"], settings["minth"], settings["midth"]) == ("mecn", "5KB", "20KB")
    assert settings["mark_at"] == "tail"
    assert settings["maxth"] != "30KB"
    assert (change.rate, change.isq_mode) == (20_000_000, "dataplane")
    page.wait(lambda: page.text(".queue h2") == "s1 · port 1 · queue 0 · 20Mbps")
    assert page.faults() == []


def test_errors_are_shown_and_change_nothing(page: Browser, source: MadeUp) -> None:
    page.field("minth").clear()
    page.field("minth").send_keys("40KB")
    page.wait(lambda: "minth (40KB) must be less than maxth (30KB)" in page.text(".settings .error"))
    page.driver.find_element(By.CSS_SELECTOR, ".settings [type=reset]").click()
    assert page.value("minth") == "10KB"
    assert source.changes == []


def test_a_wrong_token_changes_nothing(page: Browser, source: MadeUp) -> None:
    page.run("sessionStorage.setItem('quench-token', 'wrong')")
    page.drag("minth", 5)
    page.wait(lambda: "token" in page.text(".settings .error"))
    assert source.changes == []
    assert "refused" in page.text("#read-only")
    # Somebody else's change does not take the reason away.
    change_elsewhere(source, rate="20Mbps")
    page.wait(lambda: page.text(".queue h2") == "s1 · port 1 · queue 0 · 20Mbps")
    assert "refused" in page.text("#read-only")
    assert "token" in page.text(".settings .error")


# Answers to such requests wait for `go_on`; what they do is done when they are counted, and the next script runs.
LATE_ANSWERS = """
const late = arguments[0];
const real = window.fetch;
window.answers = 0;
window.fetch = async (path, options) => {
  const answer = await real(path, options);
  const value = await answer.json();
  if (path === late) {
    while (!window.go_on) { await new Promise((done) => setTimeout(done, 10)); }
    window.answers += 1;
  }
  return { ok: answer.ok, status: answer.status, json: async () => value };
};
"""


def go_on(page: Browser, answers: int = 1) -> None:
    page.run("window.go_on = true")
    page.wait(lambda: page.run("return window.answers") >= answers)


def change_elsewhere(source: MadeUp, **what: object) -> None:
    """A change by another client."""
    asyncio.run(source.change(Change.model_validate({"switch": "s1", "port": 1, **what})))
    source.changes.pop()


def test_the_reason_of_a_refusal_stays_when_a_preview_is_answered_later(page: Browser, source: MadeUp) -> None:
    page.run("sessionStorage.setItem('quench-token', 'wrong')")
    page.run(LATE_ANSWERS, "preview")
    page.drag("minth", 5)
    page.wait(lambda: "token" in page.text(".settings .error"))
    go_on(page)
    assert "token" in page.text(".settings .error")
    assert source.changes == []
    # The next edit is another change, so the reason goes.
    page.field("minth").send_keys(Keys.END, Keys.BACKSPACE, "B")
    page.wait(lambda: page.text(".settings .error") == "")


def test_an_undo_drops_a_preview_on_its_way(page: Browser) -> None:
    page.run(LATE_ANSWERS, "preview")
    page.field("minth").send_keys(Keys.END, Keys.BACKSPACE)
    assert page.value("minth") == "10K"
    page.driver.find_element(By.CSS_SELECTOR, ".settings [type=reset]").click()
    go_on(page)
    assert page.text(".settings .error") == ""


def test_an_edit_while_a_change_is_on_its_way_is_applied_after_it(page: Browser, source: MadeUp) -> None:
    page.run(LATE_ANSWERS, "change")
    page.drag("minth", 5)
    page.wait(lambda: len(source.changes) == 1 and page.text("#changes li"))
    assert page.text(".settings .done") == "Applying"
    page.drag("minth", 8)
    go_on(page, answers=2)
    page.wait(lambda: page.text(".settings .done") == "Applied")
    [first, last] = [change.settings.model_dump(mode="json")["minth"] for change in source.changes if change.settings]
    assert first != last == page.value("minth")


def test_typed_keys_stay_in_their_field_when_a_change_is_applied(page: Browser, source: MadeUp) -> None:
    page.field("minth").send_keys(Keys.ARROW_UP, Keys.ENTER)
    page.wait(lambda: page.text(".settings .done") == "Applied" and page.text("#changes li"))
    ActionChains(page.driver).send_keys(Keys.ARROW_UP, Keys.ENTER).perform()
    page.wait(lambda: len(source.changes) == 2)
    assert page.value("minth") == "12KB"


def test_settings_without_a_field_leave_no_edit_behind(browser: Browser, source: MadeUp) -> None:
    source.profiles[1, 0] = parse_settings({"scheme": "taildrop"})
    with served(source) as url:
        browser.driver.get("about:blank")
        browser.driver.get(url)
        browser.wait(lambda: browser.text(".queue .figures").startswith("taildrop"))
        Select(browser.field("scheme")).select_by_value("ecn")
        for name, text in (("minth", "10KB"), ("maxth", "30KB")):
            browser.field(name).send_keys(text)
        browser.driver.find_element(By.CSS_SELECTOR, ".settings [type=submit]").click()
        browser.wait(lambda: browser.text(".settings .done") == "Applied" and browser.text("#changes li"))
        browser.wait(lambda: browser.line("minth") and not browser.driver.find_elements(By.CSS_SELECTOR, ".edited"))
        # Nothing but the depth differs, so a drag is applied at once.
        browser.drag("minth", 5)
        browser.wait(lambda: len(source.changes) == 2)
        change_elsewhere(source, settings={"scheme": "taildrop"})
        browser.wait(lambda: browser.value("scheme") == "taildrop")
        browser.driver.get("about:blank")


def test_a_new_queue_of_a_port_leaves_what_is_typed(page: Browser, source: MadeUp) -> None:
    page.field("minth").send_keys(Keys.ARROW_UP)
    source.profiles[1, 1] = source.profiles[1, 0]
    change_elsewhere(source, queue=1, rate="20Mbps")
    page.wait(lambda: page.text(".queue h2") == "s1 · port 1 · queue 0 · 20Mbps")
    assert overview(page) == [["s1", "1", "0", "ecn-becn"], ["s1", "1", "1", "ecn-becn"]]
    assert page.value("minth") == "11KB"
    assert page.text(".settings .done").startswith("It was changed elsewhere")


SHOWN_S = """return import("/chart.js").then(({ charts }) => {
  const { x } = [...charts.values()].find(({ columns }) => columns !== undefined).plot.scales;
  return x.max - x.min;
});"""


def test_pause_and_zoom(page: Browser) -> None:
    page.driver.find_element(By.ID, "pause").click()
    page.wait(lambda: page.text("#state") == "Charts stand still")
    before, end = page.run(SHOWN_S), page.column("time")[-1]
    page.driver.find_element(By.ID, "zoom-in").click()
    assert page.run(SHOWN_S) == pytest.approx(before / 2)
    assert page.column("time")[-1] <= end + 1
    page.driver.find_element(By.ID, "pause").click()
    page.wait(lambda: page.column("time")[-1] > end)


def test_downloads(page: Browser, source: MadeUp) -> None:
    page.drag("minth", 5)
    page.wait(lambda: page.text(".settings .done") == "Applied" and page.text("#changes li"))
    end = page.column("time")[-1]
    page.wait(lambda: page.column("time")[-1] > end)
    for kind in ("csv", "png"):
        page.driver.find_element(By.CSS_SELECTOR, f".queue [data-download={kind}]").click()
    table = page.downloads / "quench-s1-port-1-queue-0.csv"
    picture = page.downloads / "quench-s1-port-1-queue-0.png"
    page.wait(lambda: table.exists() and picture.exists())
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) > 40
    assert {"time_s", "marked_pps", "MyIngress.seen_by_me"} <= set(rows[0])
    assert float(rows[0]["average_pkts"]) > 0
    assert (rows[0]["change"], rows[0]["minth_pkts"]) == ("", "10")
    assert (rows[-1]["change"], rows[-1]["minth_pkts"]) == ("1", page.value("minth").removesuffix("KB"))
    width = page.run("return document.querySelector('[data-chart=depth] .canvas').clientWidth")
    with Image.open(picture) as image:
        assert image.width == 2 * width
        assert image.height > 1500
        assert len(image.convert("RGB").getcolors(1 << 20) or []) > 20


def test_a_lost_controller_is_said_and_comes_back(page: Browser, source: MadeUp) -> None:
    source.lost = "controller at /run/quench.sock: it does not answer"
    page.wait(lambda: page.text("#lost") == source.lost)
    page.wait(lambda: page.text(".queue h2").endswith("not connected"))
    source.lost = None
    page.wait(lambda: page.text("#lost") == "")
    page.wait(lambda: page.text(".queue h2") == "s1 · port 1 · queue 0 · 10Mbps")


def test_a_page_with_the_token_has_room_where_strangers_have_none(
    browser: Browser, source: MadeUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quench.live.stream.MOST_WATCHERS_OF_PEER", 0)
    with served(source) as url:
        browser.driver.get("about:blank")
        browser.driver.get(url.replace(TOKEN, "wrong"))
        browser.wait(lambda: any("503" in fault for fault in browser.faults()))
        assert browser.text("#state") == "Connecting"
        browser.driver.get("about:blank")
        browser.driver.get(url)
        browser.wait(lambda: browser.text("#state") == "Live")
        browser.driver.get("about:blank")
    browser.faults()


def test_a_recording_is_played_and_not_changed(browser: Browser) -> None:
    source = Recorded(past_s=5.0)
    with served(source) as url:
        browser.driver.get("about:blank")
        browser.driver.get(url)
        browser.wait(lambda: browser.text("#state") == "Recording")
        assert browser.run("return document.getElementById('player-speed').value") == "3"
        browser.driver.find_element(By.ID, "player-pause").click()
        browser.wait(lambda: source.paused)
        browser.wait(lambda: browser.text("#player-pause") == "Go on with the recording")
        # Its end, or another page.
        source.play(paused=False, speed=7.0)
        browser.wait(lambda: browser.text("#player-pause") == "Pause the recording")
        assert browser.run("return document.getElementById('player-speed').value") == "7"
        browser.drag("minth", 5)
        assert browser.value("minth") == "10KB"
        browser.driver.get("about:blank")


def test_a_profile_that_nobody_can_read_is_replaced(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    source = MadeUp(past_s=5.0)
    layout = source.layout()
    profile = layout["switches"][0]["ports"][0]["queues"][0]["profile"]
    assert profile is not None
    profile.update({"settings": {}, "thresholds": [], "mean_packet_bytes": None})
    monkeypatch.setattr(source, "layout", lambda: layout)
    with served(source) as url:
        browser.faults()
        browser.driver.get("about:blank")
        browser.driver.get(url)
        browser.wait(lambda: browser.text(".queue .figures").startswith("scheme not known"))
        assert Select(browser.field("scheme")).first_selected_option.text == "not known"
        Select(browser.field("scheme")).select_by_value("ecn")
        for name, text in (("minth", "5pkts"), ("maxth", "10pkts")):
            browser.field(name).send_keys(text)
        browser.wait(lambda: browser.line("minth"))
        browser.driver.find_element(By.CSS_SELECTOR, ".settings [type=submit]").click()
        browser.wait(lambda: browser.text(".settings .done") == "Applied")
        [change] = source.changes
        assert change.settings is not None
        assert change.settings.scheme == "ecn"
        assert browser.faults() == []
        browser.driver.get("about:blank")


def test_the_overview_opens_queues(browser: Browser) -> None:
    source = MadeUp((1,) * 8, past_s=5.0)
    source.profiles[3, 0] = None
    source.reasons[4, 0] = "The program has no queue depth."
    browser.set_size(1280, 800)
    with served(source) as url:
        show(browser, url)
        assert len(overview(browser)) == 8
        # Eight ports are on one screen, and so is the network.
        bottoms = "return [...arguments].map((name) => document.querySelector(name).getBoundingClientRect().bottom)"
        assert max(browser.run(bottoms, "#overview", "#network")) <= 800
        assert browser.run("return document.querySelectorAll('#network [role=button]').length") == 8
        # 10 Mb/s carry a packet of 1000 bytes in 0.8 ms.
        delay = browser.wait(lambda: browser.text("#overview tbody td:nth-child(6)"))
        assert 0 < float(delay) < 0.8 * 40
        browser.open_queue(port=2)
        rows = browser.driver.find_elements(By.CSS_SELECTOR, "#overview tbody tr")
        for number in (2, 3):
            rows[number].send_keys(Keys.ENTER)
        titles = [each.text for each in browser.driver.find_elements(By.CSS_SELECTOR, ".queue h2")]
        assert titles == [f"s1 · port {port} · queue 0 · 10Mbps" for port in (2, 3, 4)]
        reasons = [each.text for each in browser.driver.find_elements(By.CSS_SELECTOR, ".queue .reason")]
        assert reasons[0] == ""
        assert "no profile" in reasons[1]
        assert reasons[2] == "The program has no queue depth."
        close = browser.driver.find_element(By.CSS_SELECTOR, ".queue .close")
        browser.run("arguments[0].scrollIntoView()", close)
        close.click()
        assert len(browser.driver.find_elements(By.CSS_SELECTOR, ".queue h2")) == 2
        assert browser.faults() == []
        browser.driver.get("about:blank")
    browser.set_size(1280, 1400)


OVERLAPS = """
const parts = "h1, h2, h4, .figures, .tools, .canvas, .fields label, #overview td, summary";
const shown = [...document.querySelectorAll(parts)]
  .filter((each) => each.checkVisibility()).map((each) => [each, each.getBoundingClientRect()]);
return shown.flatMap(([one, a], index) => shown.slice(index + 1).filter(([other, b]) =>
  !one.contains(other) && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
  .map(([other]) => `${one.tagName} ${one.textContent} over ${other.tagName} ${other.textContent}`));
"""


def test_a_phone_has_one_column(browser: Browser) -> None:
    source = MadeUp((2, 1), flows=13, past_s=5.0)
    browser.set_size(390, 844)
    with served(source) as url:
        show(browser, url)
        browser.open_queue()
        browser.wait(lambda: browser.line("minth"))
        change_elsewhere(source, queue=0, rate="20Mbps")
        browser.wait(lambda: browser.text("#changes li"))
        assert browser.run("return document.scrollingElement.scrollWidth") <= 390
        browser.run("scrollTo(0, 0)")
        assert browser.run(OVERLAPS) == []
        lefts = browser.run("return [...document.querySelectorAll('.chart')].map((each) => each.offsetLeft)")
        assert len(set(lefts)) == 1
        browser.driver.get("about:blank")
    browser.set_size(1280, 1400)


def test_many_flows_are_a_band_with_single_ones_on_demand(browser: Browser) -> None:
    lines = "return document.querySelector('[data-chart=windows] h4').textContent"
    with served(MadeUp((2,), flows=13, past_s=5.0)) as url:
        show(browser, url)
        browser.wait(lambda: "10 to 90 % of 13 flows" in browser.run(lines))
        row = browser.driver.find_element(By.CSS_SELECTOR, "#flows .flow-table tbody tr")
        row.click()
        browser.wait(lambda: "10.0.1.1:40000" in browser.run(lines))
        row.send_keys(Keys.ENTER)
        browser.wait(lambda: "10.0.1.1:40000" not in browser.run(lines))
        browser.driver.get("about:blank")


MINUS = "\N{MINUS SIGN}"


class Stepped(MadeUp):
    """Half the depth and twice the marks since a change a while ago, with a sample a second before the last minute."""

    CHANGED_S = 200.0

    def __init__(self) -> None:
        super().__init__(flows=3, past_s=800.0)
        self.changed_s = time.time() - self.CHANGED_S
        asyncio.run(self.change(Change.model_validate({"switch": "s1", "port": 1, "rate": "10Mbps"})))
        self.events[0]["time_s"] = self.changed_s

    def sample(self, time_s: float) -> Sample:
        sample = super().sample(time_s)
        is_after = time_s >= self.changed_s
        for port in sample["ports"]:
            port.update({"marked_pps": 20.0 if is_after else 10.0, "seen_pps": 100.0, "dropped_early_pps": 1.0})
            port["queues"][0]["depth_pkts"] = 10.0 if is_after else 20.0
        return sample

    def past(self, now_s: float) -> list[float]:
        return [now_s - ago for ago in range(int(self.past_s), 60, -1)] + super().past(now_s)[-600:]


def test_history_and_comparison_of_what_was_before_the_page_was_open(browser: Browser) -> None:
    with served(Stepped()) as url:
        show(browser, url)
        browser.wait(lambda: browser.column("time"))
        Select(browser.driver.find_element(By.ID, "window")).select_by_value("900")
        times = browser.wait(lambda: (found := browser.column("time")) and found[-1] - found[0] > 700 and found)
        assert None not in times
        # One second without a sample is no gap.
        assert None not in browser.column("depth_pkts")
        browser.driver.find_element(By.CSS_SELECTOR, ".compare summary").click()
        browser.wait(lambda: browser.text(".compare tbody td"))
        rows = "return [...document.querySelectorAll('.compare tbody tr')]"
        cells = f"{rows}.map((row) => [...row.cells].map((cell) => cell.textContent))"
        found = {title: values for title, *values in browser.run(cells)}
        assert found["mean delay, ms"] == ["16.0", "8.00", f"{MINUS}50.0 %"]
        assert found["p95 delay, ms"] == ["16.0", "8.00", f"{MINUS}50.0 %"]
        assert found["marks/s"] == ["10.0", "20.0", "+100 %"]
        assert found["loss, %"][:2] == ["1.00", "1.00"]
        assert 80 < float(found["utilisation, %"][0]) < 100
        # Three flows of 10 kB/s each.
        assert found["goodput of all flows, Mb/s"][:2] == ["0.24", "0.24"]
        start, end = browser.driver.find_elements(By.CSS_SELECTOR, ".compare select")[2:]
        Select(start).select_by_value("start")
        Select(end).select_by_value("1")
        browser.wait(lambda: browser.run(cells)[0][2] == "16.0")
        browser.driver.get("about:blank")
