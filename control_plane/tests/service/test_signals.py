# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Signals that end a command in order."""

import signal

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
