# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Of all Python tests: a busy machine fails no test of a property. Examples are new in every run.

A failure prints how to repeat it; ``make test`` prints its seed, and ``QUENCH_TEST_SEED`` repeats a whole run.
"""

import signal

from hypothesis import settings

settings.register_profile("quench", deadline=None, print_blob=True)
settings.load_profile("quench")

# A shell lets what it starts in the background ignore SIGINT, children included; tests interrupt both.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
