# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The screen: queues, the chosen one in detail, flows, events, and the keys."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from quench_switch.outside.units import Depth
from rich.text import Text
from textual import events, on, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Footer, Static

from quench.errors import ControllerError
from quench.feed.model import Change
from quench.feed.source import ChangeError, Player, Source
from quench.signals import ENDING
from quench.top import view
from quench.top.changes import change_of, editable, moved, threshold
from quench.top.form import ChangeForm
from quench.top.state import QueueKey, QueueState, State, Wanted

REDRAW_S = 0.2
"""Shortest time between two pictures: enough for eyes, and little for a slow line."""
EVENT_LINES = 2


class TopApp(App[None]):
    """``quench top``."""

    TITLE = "quench top"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layout: vertical; }
    Static { text-wrap: nowrap; }
    VerticalScroll { scrollbar-size-vertical: 1; }
    #header { height: auto; }
    #queues { height: auto; max-height: 40%; }
    #detail { height: auto; border-top: solid $primary; }
    #flows { height: 1fr; min-height: 2; border-top: solid $primary; }
    #events { height: auto; border-top: solid $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "queue(-1)", "queue", key_display="↑↓"),
        Binding("down,j", "queue(1)", "queue", show=False),
        Binding("right,tab,l", "threshold(1)", "threshold", key_display="←→", priority=True),
        Binding("left,shift+tab,h", "threshold(-1)", "threshold", show=False, priority=True),
        Binding("plus,equals_sign", "move(1)", "move", key_display="+-"),
        Binding("minus,underscore", "move(-1)", "move", show=False),
        Binding("right_square_bracket", "move(10)", "by 10", key_display="[]"),
        Binding("left_square_bracket", "move(-10)", "by 10", show=False),
        Binding("enter", "apply", "apply", key_display="⏎"),
        Binding("escape", "discard", "undo"),
        Binding("e", "edit", "edit"),
        Binding("p,space", "pause", "pause"),
        Binding("q,ctrl+c", "quit", "quit"),
    ]

    def __init__(self, source: Source, wanted: Wanted | None = None) -> None:
        super().__init__()
        self.state = State(wanted)
        self.fault: ControllerError | None = None
        """The reason for which the screen ended by itself."""
        self._source = source
        self._chosen: QueueKey | None = None
        self._threshold: str | None = None
        self._pending: dict[str, Depth] = {}
        """Thresholds of the chosen queue that were moved and not applied."""
        self._going = asyncio.Event()
        self._going.set()
        self._is_dirty = True

    def compose(self) -> ComposeResult:
        """The parts, from top to bottom."""
        yield Static(id="header")
        with VerticalScroll(id="queues", can_focus=False):
            yield Static(id="queue-rows")
        with Vertical(id="detail"):
            yield Static(id="detail-rows")
        with VerticalScroll(id="flows", can_focus=False):
            yield Static(id="flow-rows")
        yield Static(id="events")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Begin to watch."""
        self.set_interval(REDRAW_S, self._redraw)
        # By default they end the process at once, and the terminal stays as it is drawn.
        for number in ENDING:
            asyncio.get_running_loop().add_signal_handler(number, self.exit)
        self._watch()

    @work
    async def _watch(self) -> None:
        try:
            async for update in self._source.updates():
                self.state.apply(update)
                self.state.check_wanted()
                self._is_dirty = True
                await self._going.wait()
        except ControllerError as error:
            self.fault = error
            self.exit()

    async def on_unmount(self) -> None:
        """Give signals and the source's connections back."""
        for number in ENDING:
            asyncio.get_running_loop().remove_signal_handler(number)
        await self._source.close()

    @property
    def chosen(self) -> QueueState | None:
        """The queue in detail: as the user chose, else the first."""
        queues = self.state.queues
        if self._chosen not in queues:
            self._pending.clear()
            self._chosen = next(iter(queues), None)
        return queues[self._chosen] if self._chosen is not None else None

    @property
    def _is_paused(self) -> bool:
        return self._source.paused if isinstance(self._source, Player) else not self._going.is_set()

    def _redraw(self) -> None:
        if not self._is_dirty:
            return
        self._is_dirty = False
        width = self.size.width
        queue = self.chosen
        names = editable(queue.profile) if queue is not None else []
        if self._threshold not in names:
            self._threshold = names[0] if names else None
        self._pending = {name: depth for name, depth in self._pending.items() if name in names}
        place = list(self.state.queues).index(queue.key) if queue is not None else 0
        self._show("#header", view.header(self.state, width, paused=self._is_paused))
        # Beside these rows is a scrollbar, where they do not fit.
        self._show("#queue-rows", view.queue_rows(self.state, place, width - 1))
        self._show("#detail-rows", view.detail(queue, self._pending, self._threshold, width))
        self._show("#flow-rows", view.flow_rows(self.state, width - 1))
        clock = "unix" if self.state.layout is None else self.state.layout["clock"]
        self._show("#events", view.event_rows(self.state.events, clock, width, EVENT_LINES))

    def _show(self, place: str, lines: Sequence[Text]) -> None:
        width = self.size.width
        self.query_one(place, Static).update(Text("\n").join(view.clean(line, width) for line in lines))

    def on_resize(self, _: events.Resize) -> None:
        """Draw for the new width."""
        self._is_dirty = True

    @on(events.Click, "#queue-rows")
    def choose_by_mouse(self, event: events.Click) -> None:
        """Choose the queue under the mouse, below the heading."""
        if event.y >= 1:
            self._choose(event.y - 1)

    def action_queue(self, steps: int) -> None:
        """Choose another queue."""
        keys = list(self.state.queues)
        if keys:
            self._choose(keys.index(self._chosen) + steps if self._chosen in keys else 0)

    def _choose(self, place: int) -> None:
        keys = list(self.state.queues)
        key = keys[min(len(keys) - 1, max(0, place))]
        if key != self._chosen:
            self._pending.clear()
        self._chosen, self._is_dirty = key, True
        rows = self.query_one("#queues", VerticalScroll)
        line = keys.index(key) + 1
        if not rows.scroll_y <= line < rows.scroll_y + rows.size.height:
            rows.scroll_to(y=max(0, line - rows.size.height + 1), animate=False)

    def action_threshold(self, steps: int) -> None:
        """Choose another threshold."""
        queue = self.chosen
        names = editable(queue.profile) if queue is not None else []
        if names:
            place = names.index(self._threshold) if self._threshold in names else 0
            self._threshold = names[(place + steps) % len(names)]
            self._is_dirty = True

    def action_move(self, steps: int) -> None:
        """Move the threshold by packets of mean size, without applying it."""
        queue = self.chosen
        mean_bytes = None if queue is None or queue.profile is None else queue.profile["mean_packet_bytes"]
        if queue is None or queue.profile is None or self._threshold is None or mean_bytes is None:
            self.notify("this queue has no threshold to move: e edits its profile", severity="warning")
            return
        if not self._may_change():
            return
        now = self._pending.get(self._threshold) or threshold(queue.profile, self._threshold)
        self._pending[self._threshold] = moved(now, steps, mean_bytes)
        self._is_dirty = True

    def action_discard(self) -> None:
        """Forget what was moved."""
        self._pending.clear()
        self._is_dirty = True

    def action_apply(self) -> None:
        """Apply all moved thresholds as one change."""
        queue = self.chosen
        if queue is None or not self._pending:
            self.notify("nothing was moved: + and - move the threshold that » points at")
            return
        try:
            self._change(change_of(queue.key, queue.profile, {name: str(each) for name, each in self._pending.items()}))
        except ChangeError as error:
            self.notify(str(error), severity="error", markup=False)

    @work
    async def action_edit(self) -> None:
        """Edit all settings of the queue in a form."""
        queue = self.chosen
        if queue is None or self.state.layout is None or not self._may_change():
            return
        form = ChangeForm(queue, self._pending, changes_isq=self.state.layout["changes_isq"])
        change = await self.push_screen_wait(form)
        if change is not None:
            self._change(change)

    @work
    async def _change(self, change: Change) -> None:
        try:
            await self._source.change(change)
        except ChangeError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        self._pending.clear()
        self._is_dirty = True

    def _may_change(self) -> bool:
        if self.state.layout is not None and self.state.layout["can_change"]:
            return True
        self.notify("this source cannot be changed: it is a recording, or gone", severity="warning")
        return False

    def action_pause(self) -> None:
        """Stop the picture, or go on with what has come meanwhile; a recording itself stops."""
        if isinstance(self._source, Player):
            self._source.play(paused=not self._source.paused)
        elif self._going.is_set():
            self._going.clear()
        else:
            self._going.set()
        self._is_dirty = True
