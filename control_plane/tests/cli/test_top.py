# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The screen of ``quench top``, by Textual's pilot: figures at any width, and keys that make one change."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from feeds import N1, START_S, FakeSource, flow, layout, port_sample, profile, sample, update
from quench.feed.layout import profile_layout
from quench.feed.model import Change
from quench.profiles import parse_settings
from quench.top.app import TopApp
from quench.top.form import ChangeForm, names_of
from quench.top.state import Wanted
from textual.pilot import Pilot
from textual.widgets import Input, Static

HANG_S = 30
ONE = ("s1", 2, 0)


def first(**more: object) -> FakeSource:
    """One queue with a sample."""
    return FakeSource(update(sample(port_sample()), layout=layout({ONE: profile()}, **more)))


@pytest.fixture(autouse=True)
def _redrawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quench.top.app.REDRAW_S", 0.02)


@asynccontextmanager
async def showing(
    source: FakeSource, size: tuple[int, int] = (80, 24), wanted: Wanted | None = None
) -> AsyncIterator[tuple[TopApp, Pilot[None]]]:
    app = TopApp(source, wanted)
    async with app.run_test(size=size) as pilot, asyncio.timeout(HANG_S):
        yield app, pilot


async def text_with(app: TopApp, pilot: Pilot[None], part: str, wanted: str) -> str:
    """The text of a part of the screen, as soon as it has this."""
    async with asyncio.timeout(HANG_S):
        while wanted not in (text := text_of(app, part)):
            await pilot.pause(0.02)
    return text


def text_of(app: TopApp, part: str) -> str:
    return str(app.screen_stack[0].query_one(part, Static).content)


async def until(pilot: Pilot[None], condition: object) -> None:
    async with asyncio.timeout(HANG_S):
        while not condition():  # type: ignore[operator]
            await pilot.pause(0.02)


async def notice(app: TopApp, pilot: Pilot[None]) -> str:
    """The newest message to the user."""
    await until(pilot, lambda: len(app._notifications))
    return str(list(app._notifications)[-1].message)


async def test_all_figures_of_a_queue_are_shown() -> None:
    source = first()
    async with showing(source) as (app, pilot):
        rows = await text_with(app, pilot, "#queue-rows", "s1 2.0")
        assert rows.splitlines()[1].split()[:8] == ["▸s1", "2.0", "ecn-becn", "31", "22.41", "98%", "12.3", "0.8"]
        detail = text_of(app, "#detail-rows")
        for shown in ("»minth 15KB", "becnthresh 20KB", "maxth 45KB", "10Mbps", "ISQs: cpu", "mark at head"):
            assert shown in detail
        assert "seen 1234, marked 12.3, early drops 0.5, forced 0.2, ISQs 8.1" in detail
        assert "test" in text_of(app, "#header")
    assert source.closed


async def test_what_a_source_cannot_know_is_no_zero() -> None:
    unknown = port_sample(depth=None, average=None, marked_pps=None, utilisation=None, isqs_pps=None)
    source = FakeSource(update(sample(unknown), layout=layout({ONE: None})))
    async with showing(source) as (app, pilot):
        rows = await text_with(app, pilot, "#queue-rows", "s1 2.0")
        assert rows.splitlines()[1].split()[2:] == ["-", "-", "-", "-", "0.8", "-"]
        assert "no profile" in text_of(app, "#detail-rows")
        await pilot.press("plus")
        assert await notice(app, pilot) == "this queue has no threshold to move: e edits its profile"


@pytest.mark.parametrize("size", [(40, 10), (12, 4), (1, 1)])
async def test_a_terminal_that_is_too_small_shows_what_fits(size: tuple[int, int]) -> None:
    shown = sample(port_sample(), flows=[flow()])
    source = FakeSource(update(shown, layout=layout({ONE: profile()})))
    async with showing(source, size) as (app, pilot):
        await text_with(app, pilot, "#queue-rows", "▸")
        for part in ("#header", "#queue-rows", "#detail-rows", "#flow-rows", "#events"):
            assert all(len(line) <= size[0] for line in text_of(app, part).splitlines())


@pytest.mark.parametrize("width", [80, 133])
async def test_no_line_is_wider_than_the_screen_and_no_number_is_cut(width: int) -> None:
    name = "a-switch-with-quite-a-long-name-in-a-rack-far-away"
    large = {
        "seen_pps": 123_456_789.0,
        "marked_pps": 9_999_999.0,
        "dropped_early_pps": 9_999_998.0,
        "dropped_forced_pps": 999_998.0,
        "isqs_pps": 999_999.4,
        "utilisation": 1.0,
        "counters": {"port_of_a_users_own_program": 777_777.0, "port_that_stands_still": 0.0},
    }
    ports = [port_sample(name, 510, 7, 524287, 8388607.25, **large), port_sample("s1")]
    queues = {(name, 510, 7): profile(), ONE: profile(scheme="taildrop")}
    source = FakeSource(update(sample(*ports, flows=[flow("x" * 200)]), layout=layout(queues)))
    async with showing(source, (width, 40)) as (app, pilot):
        rows = await text_with(app, pilot, "#queue-rows", "510.7")
        assert "524287" in rows
        assert "8388607.25" in rows
        assert "10.00M" in rows
        parts = [text_of(app, part) for part in ("#header", "#queue-rows", "#detail-rows", "#flow-rows", "#events")]
        for figure in ("123.46M", "marked 10.00M", "999998", "ISQs 999999", "port_of_a_users_own_program 777777"):
            assert figure in parts[2]
        assert "stands_still" not in parts[2]
        for line in "\n".join(parts).splitlines():
            assert len(line) <= width, line


async def test_keys_move_several_thresholds_and_enter_makes_one_change() -> None:
    source = first()
    async with showing(source) as (app, pilot):
        await text_with(app, pilot, "#detail-rows", "minth 15KB")
        await pilot.press("plus", "plus", "right", "right", "minus", "right_square_bracket")
        detail = await text_with(app, pilot, "#detail-rows", "29KB?")
        assert "minth 17KB?" in detail
        assert source.changes == []
        await pilot.press("enter")
        await until(pilot, lambda: source.changes)
    settings = {**profile()["settings"], "minth": "17KB", "becnthresh": "29KB"}
    assert source.changes == [Change.model_validate({"switch": "s1", "port": 2, "queue": 0, "settings": settings})]


async def test_a_change_that_makes_no_sense_is_refused_and_stays_to_be_mended() -> None:
    source = first()
    async with showing(source) as (app, pilot):
        await text_with(app, pilot, "#detail-rows", "minth 15KB")
        await pilot.press(*["right_square_bracket"] * 4, "enter")
        assert "minth (55KB) must be less than maxth (45KB)" in await notice(app, pilot)
        assert source.changes == []
        assert "55KB?" in await text_with(app, pilot, "#detail-rows", "55KB?")
        await pilot.press("escape")
        await text_with(app, pilot, "#detail-rows", "minth 15KB")


async def test_a_refusal_of_the_controller_is_shown() -> None:
    source = first()
    source.refusal = "switch 's1' is not connected"
    async with showing(source) as (app, pilot):
        await text_with(app, pilot, "#detail-rows", "minth 15KB")
        await pilot.press("plus", "enter")
        assert await notice(app, pilot) == "switch 's1' is not connected"


async def test_a_recording_cannot_be_changed() -> None:
    source = first(can_change=False, clock="run")
    async with showing(source) as (app, pilot):
        await text_with(app, pilot, "#detail-rows", "minth 15KB")
        await pilot.press("plus")
        assert "cannot be changed" in await notice(app, pilot)
        await pilot.press("e")
        assert not isinstance(app.screen, ChangeForm)


async def test_another_queue_is_chosen_by_keys_and_by_the_mouse() -> None:
    queues = {("s1", port, 0): profile(**{**N1, "maxth": f"{40 + port}KB"}) for port in (1, 2, 3)}
    source = FakeSource(update(sample(*(port_sample(port=port) for port in (1, 2, 3))), layout=layout(queues)))
    async with showing(source) as (app, pilot):
        await text_with(app, pilot, "#detail-rows", "maxth 41KB")
        await pilot.press("plus", "down", "down", "down")
        await text_with(app, pilot, "#detail-rows", "maxth 43KB")
        await pilot.click("#queue-rows", offset=(3, 2))
        detail = await text_with(app, pilot, "#detail-rows", "maxth 42KB")
        # A threshold that was moved on the first queue is not applied to another queue.
        assert "?" not in detail


async def test_the_form_changes_scheme_settings_rate_and_sender_as_one_change() -> None:
    source = first()
    async with showing(source) as (app, pilot):
        await text_with(app, pilot, "#detail-rows", "minth 15KB")
        await pilot.press("plus", "e")
        await until(pilot, lambda: isinstance(app.screen, ChangeForm) and app.screen.query("#field-minth"))
        assert app.screen.query_one("#field-minth", Input).value == "16KB"
        await fill(app, pilot, scheme="mecn")
        await until(pilot, lambda: app.screen.query("#field-midth"))
        assert not app.screen.query("#field-becnthresh")
        await fill(app, pilot, midth="30KB", maxp="0.2", gentle="false", mark_at="tail", rate="5Mbps", isq_mode="off")
        await pilot.press("enter")
        await until(pilot, lambda: source.changes)
    settings = {"scheme": "mecn", "minth": "16KB", "midth": "30KB", "maxth": "45KB", "maxp": 0.2, "gentle": False}
    assert source.changes == [
        Change.model_validate(
            {
                "switch": "s1",
                "port": 2,
                "queue": 0,
                "settings": {**settings, "mark_at": "tail"},
                "rate": "5Mbps",
                "isq_mode": "off",
            }
        )
    ]


async def fill(app: TopApp, pilot: Pilot[None], **values: str) -> None:
    for name, value in values.items():
        app.screen.query_one(f"#field-{name}", Input).value = value
    await pilot.pause()


async def test_the_form_says_what_is_wrong_and_can_be_left() -> None:
    source = first()
    async with showing(source) as (app, pilot):
        await text_with(app, pilot, "#detail-rows", "minth 15KB")
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, ChangeForm) and app.screen.query("#field-minth"))
        for wrong, sentence in (
            ({"maxth": "10KB"}, "must be less than maxth (10KB)"),
            ({"maxth": "45"}, "maxth: 45 has no unit"),
            ({"maxth": "45KB", "scheme": "wred"}, "there is no scheme 'wred'"),
        ):
            await fill(app, pilot, **wrong)
            await pilot.press("enter")
            await until(pilot, lambda said=sentence: said in str(app.screen.query_one("#fault", Static).content))
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, ChangeForm))
    assert source.changes == []


async def test_a_threshold_that_was_not_set_shows_its_default_and_keeps_it() -> None:
    settings = parse_settings({"scheme": "ecn", "maxth": "45KB"}).at_rate(10**7)
    shown = {**profile_layout(settings), "settings": {**settings.model_dump(mode="json"), "minth": None}}
    source = FakeSource(update(sample(port_sample()), layout=layout({ONE: shown})))
    async with showing(source) as (app, pilot):
        await text_with(app, pilot, "#detail-rows", "minth 15KB")
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, ChangeForm) and app.screen.query("#field-minth"))
        field = app.screen.query_one("#field-minth", Input)
        assert (field.value, field.placeholder) == ("", "15KB by default")
        await fill(app, pilot, maxth="50KB")
        await pilot.press("enter")
        await until(pilot, lambda: source.changes)
    assert source.changes[0].settings is not None
    assert source.changes[0].settings.model_dump(mode="json")["minth"] is None


async def test_an_empty_field_is_the_default() -> None:
    settings = {**N1, "wq": 0.5}
    source = FakeSource(update(sample(port_sample()), layout=layout({ONE: profile(**settings)})))
    async with showing(source) as (app, pilot):
        await text_with(app, pilot, "#detail-rows", "minth 15KB")
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, ChangeForm) and app.screen.query("#field-wq"))
        await fill(app, pilot, wq="")
        await pilot.press("enter")
        await until(pilot, lambda: source.changes)
    assert source.changes[0].settings is not None
    assert source.changes[0].settings.wq == 0.002


async def test_a_scheme_can_be_chosen_where_only_the_curve_could_be_read() -> None:
    curve_only = {**profile(), "settings": {}, "thresholds": [], "mean_packet_bytes": None}
    source = FakeSource(update(sample(port_sample()), layout=layout({ONE: curve_only}, changes_isq=False)))
    async with showing(source) as (app, pilot):
        detail = await text_with(app, pilot, "#detail-rows", "s1 port 2")
        assert "(curve)" in detail
        assert "0 from 15pkts" in detail
        assert "0.1 from 45pkts" in detail
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, ChangeForm) and app.screen.query("#field-scheme"))
        assert not app.screen.query("#field-isq_mode")
        await fill(app, pilot, scheme="ecn")
        await until(pilot, lambda: app.screen.query("#field-minth"))
        await fill(app, pilot, minth="15KB", maxth="45KB")
        await pilot.press("enter")
        await until(pilot, lambda: source.changes)
    settings = {"scheme": "ecn", "minth": "15KB", "maxth": "45KB"}
    assert source.changes == [Change.model_validate({"switch": "s1", "port": 2, "queue": 0, "settings": settings})]


def test_the_form_has_thresholds_first_and_all_settings_but_points() -> None:
    assert names_of("ecn-becn")[:3] == ["minth", "maxth", "becnthresh"]
    assert "points" not in names_of("curve")
    # The weight of dctcp's average is 1.
    assert names_of("dctcp")[0] == "k"
    assert "wq" not in names_of("dctcp")
    assert set(names_of("red")) == set(profile(scheme="red", minth="1KB", maxth="2KB")["settings"]) - {"scheme"}


async def test_pause_keeps_the_picture_and_goes_on_with_what_came() -> None:
    source = first()
    async with showing(source) as (app, pilot):
        await text_with(app, pilot, "#queue-rows", "22.41")
        await pilot.press("p")
        await text_with(app, pilot, "#header", "paused")
        for second in (1, 2):
            source.put(update(sample(port_sample(average=30.0 + second), time_s=START_S + second)))
        await pilot.pause(0.2)
        assert "32.00" not in text_of(app, "#queue-rows")
        await pilot.press("p")
        await text_with(app, pilot, "#queue-rows", "32.00")


async def test_a_lost_source_is_said_and_comes_back() -> None:
    source = first()
    async with showing(source) as (app, pilot):
        await text_with(app, pilot, "#queue-rows", "s1 2.0")
        source.put(update(lost="no controller answers"))
        await text_with(app, pilot, "#header", "no controller answers")
        source.put(update(sample(port_sample(average=7.0)), layout=layout({ONE: profile()}), restarted=True))
        await text_with(app, pilot, "#queue-rows", "7.00")
        assert "no controller" not in text_of(app, "#header")


async def test_flows_events_and_hosts_are_shown() -> None:
    host = {"host": "server1", "algorithm": "ecn-becn", "counters": {"reactions_isq_marked": 4, "reactions_rto": 0}}
    event = {"time_s": START_S, "kind": "profile", "switch": "s1", "port": 2, "queue": 0, "text": "maxth 40KB"}
    shown = sample(port_sample(), flows=[flow("small", 2), flow("large", 90)], hosts=[host])
    source = FakeSource(update(shown, layout=layout({ONE: profile()}), events=[event]))
    async with showing(source) as (app, pilot):
        rows = (await text_with(app, pilot, "#flow-rows", "large")).splitlines()
        assert rows[0].split() == ["2", "flows", "cwnd", "ssthresh", "rtt", "ms", "retr.", "cuts"]
        assert rows[1].split() == ["large", "90", "-", "41.2", "3", "17"]
        assert rows[2].startswith("small")
        assert rows[3] == "server1 (ecn-becn): reactions isq marked 4"
        assert "maxth 40KB" in text_of(app, "#events")


async def test_rows_that_do_not_fit_are_scrolled_and_not_wrapped() -> None:
    keys = [("s1", port, 0) for port in range(1, 41)]
    shown = sample(*(port_sample(port=port) for _, port, _ in keys), flows=[flow(cwnd=number) for number in range(40)])
    source = FakeSource(update(shown, layout=layout(dict.fromkeys(keys, profile()))))
    async with showing(source) as (app, pilot):
        await text_with(app, pilot, "#flow-rows", "40 flows")
        # A heading, and a line for each row.
        for part in ("#queue-rows", "#flow-rows"):
            await until(pilot, lambda part=part: app.query_one(part, Static).size.height == 41)
        for part in ("#queue-rows", "#flow-rows"):
            rows = app.query_one(part, Static)
            longest = max(map(len, text_of(app, part).splitlines()))
            # Beside the scrollbar.
            assert longest <= rows.size.width


async def test_only_the_wanted_queues_are_shown_and_none_ends_the_screen() -> None:
    queues = {("s1", 1, 0): profile(), ("s2", 2, 1): profile()}
    source = FakeSource(update(layout=layout(queues)))
    async with showing(source, wanted=Wanted("s2")) as (app, pilot):
        rows = await text_with(app, pilot, "#queue-rows", "s2 2.1")
        assert "s1" not in rows
    source = FakeSource(update(layout=layout(queues)))
    async with showing(source, wanted=Wanted("s9")) as (app, pilot):
        await until(pilot, lambda: app.fault is not None)
    assert str(app.fault) == "there is no switch 's9': there are s1, s2"


async def test_a_source_that_has_no_queues_yet_is_waited_for() -> None:
    source = FakeSource(update(layout=layout({})))
    async with showing(source, wanted=Wanted(port=2)) as (app, pilot):
        await text_with(app, pilot, "#detail-rows", "no queue with a profile")
        source.put(update(sample(port_sample()), layout=layout({ONE: profile()})))
        await text_with(app, pilot, "#queue-rows", "s1 2.0")
    assert app.fault is None


async def test_text_of_a_source_cannot_command_the_terminal() -> None:
    hostile = "\x1b[2J\x07[/red]"
    source = FakeSource(
        update(
            sample(port_sample(hostile), flows=[flow(hostile)]),
            layout=layout({(hostile, 2, 0): profile()}, title=hostile),
            lost=hostile,
        )
    )
    async with showing(source) as (app, pilot):
        await text_with(app, pilot, "#flow-rows", "[/red]")
        parts = [text_of(app, part) for part in ("#header", "#queue-rows", "#detail-rows", "#flow-rows")]
        assert "".join(parts).replace("\n", "").isprintable()
