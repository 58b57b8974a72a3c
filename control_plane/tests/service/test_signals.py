# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Signals that end a command in order."""

import signal
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress

import pytest
from quench.signals import Interrupted, signals_as_exceptions

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_is_an_exception_with_the_shells_exit_status(number: signal.Signals) -> None:
    with pytest.raises(Interrupted) as caught, signals_as_exceptions():
        signal.raise_signal(number)
    assert caught.value.exit_status == 128 + number


def test_handlers_of_errors_do_not_swallow_it() -> None:
    assert not issubclass(Interrupted, Exception)


@pytest.mark.parametrize("second", NUMBERS)
def test_what_comes_after_the_first_does_not_disturb_the_end(second: signal.Signals) -> None:
    def ends_with_work_left() -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            signal.raise_signal(second)
            done.append(second)

    done: list[signal.Signals] = []
    with pytest.raises(Interrupted) as caught, signals_as_exceptions():
        ends_with_work_left()
    assert done == [second]
    assert caught.value.exit_status == 128 + signal.SIGTERM


@pytest.mark.parametrize("interrupted", [False, True])
def test_the_handlers_are_as_before_when_it_is_over(interrupted: bool) -> None:
    before = [signal.getsignal(number) for number in NUMBERS]
    try:
        with signals_as_exceptions():
            assert not set(before) & {signal.getsignal(number) for number in NUMBERS}
            if interrupted:
                signal.raise_signal(signal.SIGHUP)
    except Interrupted:
        assert interrupted
    assert [signal.getsignal(number) for number in NUMBERS] == before


class Swallowing:
    """An object whose destructor gets the signal."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGTERM)
        time.sleep(0)


def in_a_destructor() -> None:
    Swallowing()


def in_a_callback() -> None:
    class Referred:
        pass

    referred = Referred()
    _reference = weakref.ref(referred, lambda _: signal.raise_signal(signal.SIGTERM))
    del referred


def in_a_handler_that_goes_on() -> None:
    # Native code does it with PyErr_Clear.
    with suppress(BaseException):
        signal.raise_signal(signal.SIGTERM)


def wait_after(swallow: Callable[[], None]) -> None:
    """Handlers also run when the call has ended by itself, so another thread tells that it has lasted."""
    swallow()
    lasted = threading.Event()
    timer = threading.Timer(20, lasted.set)
    timer.start()
    try:
        signal.sigtimedwait([], 30)
    finally:
        timer.cancel()
        assert not lasted.is_set(), "the call went on"
    raise AssertionError("the signal is lost")


@pytest.mark.parametrize("swallow", [in_a_destructor, in_a_callback, in_a_handler_that_goes_on])
def test_a_swallowed_signal_comes_again(swallow: Callable[[], None], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Interrupted) as caught, signals_as_exceptions():
        wait_after(swallow)
    assert caught.value.exit_status == 128 + signal.SIGTERM
    assert capsys.readouterr().err == ""


def test_a_signal_swallowed_at_the_very_end_is_not_lost() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Interrupted), signals_as_exceptions():
        in_a_destructor()
    assert signal.getsignal(signal.SIGTERM) == before


def test_nothing_comes_again_when_it_is_over() -> None:
    def three_times() -> None:
        in_a_destructor()
        in_a_destructor()
        signal.raise_signal(signal.SIGTERM)

    late: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: late.append(number))
    try:
        with pytest.raises(Interrupted), signals_as_exceptions():
            three_times()
        for thread in threading.enumerate():
            if isinstance(thread, threading.Timer):
                thread.join()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert late == []
