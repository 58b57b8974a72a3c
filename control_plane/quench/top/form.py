# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The form with all settings of a queue. All that was typed becomes one atomic change."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from quench_switch.outside.text import printable
from quench_switch.outside.units import format_rate_bps
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Footer, Input, Label, Static

from quench.feed.model import Change
from quench.feed.source import ChangeError
from quench.profiles.settings import NAMED_SCHEMES, scheme_of
from quench.top.changes import change_of, text_of, value_of
from quench.top.state import QueueState
from quench.units import Depth, is_depth

ISQ_MODES = ("cpu", "dataplane", "off")
_IN_FILES = "points"
"""A setting that is too long for a field; it stays as it is."""


def names_of(scheme: str) -> list[str]:
    """The settings of a scheme that have a field: thresholds first."""
    fields = scheme_of(scheme).model_fields
    names = [name for name in scheme_of(scheme).setting_names() if name not in {"scheme", _IN_FILES}]
    return sorted(names, key=lambda name: not is_depth(fields[name].annotation))


class ChangeForm(ModalScreen[Change | None]):
    """Scheme, settings, rate of the link and sender of source quenches. Ends with the change, or None."""

    CSS = """
    ChangeForm { align: center middle; }
    #form { width: 72; max-width: 100%; height: auto; max-height: 100%; border: round $primary; padding: 0 1; }
    #fields { height: auto; max-height: 16; }
    #settings, #form Horizontal { height: auto; }
    #form Label { width: 22; }
    #form Input { width: 1fr; border: none; height: 1; padding: 0 1; background: $boost; }
    #form Input:focus { background: $primary 50%; }
    #hint { color: $text-muted; }
    #fault { color: $text-error; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "apply", "apply all as one change", key_display="⏎", priority=True),
        Binding("escape", "leave", "leave"),
        Binding("down,tab", "app.focus_next", "next field", key_display="↓", priority=True),
        Binding("up,shift+tab", "app.focus_previous", "previous", show=False, priority=True),
    ]

    def __init__(self, queue: QueueState, pending: Mapping[str, Depth], *, changes_isq: bool) -> None:
        super().__init__()
        self._queue = queue
        self._settings: dict[str, Any] = {} if queue.profile is None else queue.profile["settings"]
        self._pending = {name: str(depth) for name, depth in pending.items()}
        self._scheme = str(self._settings.get("scheme", ""))
        """Empty until one is typed, where the source cannot read it."""
        self._rate = "" if queue.rate_bps is None else format_rate_bps(queue.rate_bps)
        self._isq_mode = queue.isq_mode if changes_isq else None

    def compose(self) -> ComposeResult:
        """A line for each setting."""
        with Vertical(id="form"):
            yield Static(printable(f"{self._queue.key}: change under traffic"), markup=False)
            with VerticalScroll(id="fields", can_focus=False):
                yield from self._field("scheme", self._scheme, NAMED_SCHEMES)
                yield Vertical(*self._setting_fields(), id="settings")
                yield from self._field("rate", self._rate)
                if self._isq_mode is not None:
                    yield from self._field("isq_mode", self._isq_mode, ISQ_MODES)
            yield Static("an empty field is the default", id="hint")
            yield Static("", id="fault", markup=False)
        yield Footer(compact=True, show_command_palette=False)

    def _setting_fields(self) -> Iterator[Horizontal]:
        defaults = {each["name"]: f"{each['text']} by default" for each in self._queue.thresholds}
        for name in names_of(self._scheme) if self._scheme else ():
            hint = defaults.get(name, "") if self._scheme == self._settings.get("scheme") else ""
            yield from self._field(name, self._pending.get(name, self._text_now(name)), hint=hint)

    @staticmethod
    def _field(name: str, value: str, known: tuple[str, ...] = (), hint: str = "") -> Iterator[Horizontal]:
        suggester = SuggestFromList(known) if known else None
        entry = Input(
            value, id=f"field-{name}", placeholder=hint or ", ".join(known), suggester=suggester, select_on_focus=True
        )
        yield Horizontal(Label(name.replace("_", " ")), entry)

    def _text_now(self, name: str) -> str:
        """The setting as the queue has it, or as a new scheme has it by default; empty where it has none."""
        if self._settings.get(name) is not None:
            return text_of(self._settings[name])
        return ""

    @on(Input.Changed, "#field-scheme")
    async def show_scheme(self, event: Input.Changed) -> None:
        """Show the settings of the scheme that was typed, as soon as it is one."""
        scheme = event.value.strip()
        if scheme in {*NAMED_SCHEMES, self._settings.get("scheme")} and scheme != self._scheme:
            self._scheme = scheme
            settings = self.query_one("#settings", Vertical)
            await settings.remove_children()
            await settings.mount_all(self._setting_fields())

    def action_apply(self) -> None:
        """End with the change, or say what is wrong with it."""
        try:
            self.dismiss(self._change())
        except ChangeError as error:
            self.query_one("#fault", Static).update(str(error))

    def action_leave(self) -> None:
        """End without a change."""
        self.dismiss(None)

    def _typed(self, name: str) -> str:
        return self.query_one(f"#field-{name}", Input).value.strip()

    def _change(self) -> Change:
        """The typed settings as a change. Raises ChangeError."""
        scheme = self._typed("scheme")
        typed: dict[str, Any] = {} if scheme == self._settings.get("scheme", "") else {"scheme": scheme}
        unset = set()
        if scheme and scheme == self._scheme:
            for name in names_of(self._scheme):
                text = self._typed(name)
                if text == "":
                    unset.add(name)
                elif text != self._text_now(name):
                    typed[name] = value_of(text)
        rate = self._typed("rate")
        mode = None if self._isq_mode is None else self._typed("isq_mode")
        return change_of(
            self._queue.key,
            self._queue.profile,
            typed,
            unset=unset & {name for name, value in self._settings.items() if value is not None},
            rate=None if rate == self._rate else rate,
            isq_mode=None if mode == self._isq_mode else mode,
        )
