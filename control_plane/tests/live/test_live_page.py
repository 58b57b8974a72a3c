# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The live page in a browser: what it shows, what a drag does, and that it needs nobody but its server."""

import asyncio
import csv
from collections.abc import Iterator

import pytest
from browser import TOKEN, Browser, served
from live_source import MadeUp, Recorded
from PIL import Image
from quench.feed.model import Change
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
    assert page.text(".port h2") == "s1 · port 1 · 10Mbps"
    page.wait(lambda: page.text(".queue .figures").startswith("ecn-becn, depth"))
    page.wait(lambda: page.text(".counters").startswith("MyIngress.seen_by_me"))
    for column in ("depth_pkts", "average_pkts", "marked_pps", "isqs_pps", "utilisation"):
        count = len(page.column(column))
        assert count > 40
        page.wait(lambda column=column, count=count: len(page.column(column)) > count)
    page.wait(lambda: len(page.driver.find_elements(By.CSS_SELECTOR, "#flows tbody tr")) == 3)
    page.wait(lambda: "reactions isq marked" in page.text("#flows .hosts"))
    assert page.line("minth", "height")["location"] == 10
    # The token is in no address that a history keeps.
    assert "token" not in page.driver.current_url
    assert page.requested_hosts() == {"127.0.0.1"}
    assert page.faults() == []


def test_a_drag_changes_the_profile_and_the_charts(page: Browser, source: MadeUp) -> None:
    page.drag("minth", 5)
    page.wait(lambda: source.changes)
    [change] = source.changes
    assert change.settings is not None
    minth = {name: change.settings.in_pkts(depth) for name, depth in change.settings.named_depths()}["minth"]
    assert 3.5 < minth < 6.5
    assert (change.rate, change.isq_mode) == (None, None)
    page.wait(lambda: page.line("minth", "height").get("location") == minth)
    page.wait(lambda: page.text("#changes li"))
    page.wait(lambda: page.column("text") == ["1"])
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
    page.wait(lambda: page.text(".port h2") == "s1 · port 1 · 20Mbps")
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
    page.wait(lambda: page.text(".port h2") == "s1 · port 1 · 20Mbps")
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
    page.wait(lambda: page.text(".port h2") == "s1 · port 1 · 20Mbps")
    assert [each.text for each in page.driver.find_elements(By.CSS_SELECTOR, ".queue .name")] == ["Queue 0", "Queue 1"]
    assert page.value("minth") == "11KB"
    assert page.text(".settings .done").startswith("It was changed elsewhere")


def test_pause_and_zoom(page: Browser) -> None:
    page.driver.find_element(By.ID, "pause").click()
    page.wait(lambda: page.text("#state") == "Charts stand still")
    ranges = "return Bokeh.documents[0].roots()[0].x_range.end - Bokeh.documents[0].roots()[0].x_range.start"
    before, end = page.run(ranges), page.column("time")[-1]
    page.driver.find_element(By.ID, "zoom-in").click()
    assert page.run(ranges) == pytest.approx(before / 2)
    assert page.column("time")[-1] <= end + 1000
    page.driver.find_element(By.ID, "pause").click()
    page.wait(lambda: page.column("time")[-1] > end)


def test_downloads(page: Browser) -> None:
    for kind in ("csv", "png"):
        page.driver.find_element(By.CSS_SELECTOR, f".port [data-download={kind}]").click()
    table = page.downloads / "quench-s1-port-1.csv"
    picture = page.downloads / "quench-s1-port-1.png"
    page.wait(lambda: table.exists() and picture.exists())
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) > 40
    assert {"time_s", "marked_pps", "MyIngress.seen_by_me", "queue_0_average_pkts"} <= set(rows[0])
    assert float(rows[0]["queue_0_average_pkts"]) > 0
    with Image.open(picture) as image:
        assert image.width > 500
        assert image.height > 800
        assert len(image.convert("RGB").getcolors(1 << 20) or []) > 20


def test_a_lost_controller_is_said_and_comes_back(page: Browser, source: MadeUp) -> None:
    source.lost = "controller at /run/quench.sock: it does not answer"
    page.wait(lambda: page.text("#lost") == source.lost)
    page.wait(lambda: page.text(".port h2").endswith("not connected"))
    source.lost = None
    page.wait(lambda: page.text("#lost") == "")
    page.wait(lambda: page.text(".port h2") == "s1 · port 1 · 10Mbps")


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
        browser.try_to_drag("minth", 5)
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
