# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The tests share the modules beside this one, which the import mode of the project does not find by itself."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def _loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands take the experiments that other tests have loaded."""
    from shipped import shipped

    monkeypatch.setattr("quench_experiments.definition.load", shipped)
