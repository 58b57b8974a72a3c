# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Every document of the repository: its links lead somewhere, and its code blocks are what they say."""

import pytest
from quench.profiles.settings import NAMED_SCHEMES
from quench_docs import blocks, links
from quench_docs.page import documents, read_page
from quench_docs.programs import ROOT

DOCUMENTS = [str(path.relative_to(ROOT)) for path in documents(ROOT)]


def test_the_documents_are_found() -> None:
    assert {"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/pipeline.md"} <= set(DOCUMENTS)


@pytest.mark.parametrize("scheme", [name for name in NAMED_SCHEMES if name != "taildrop"])
def test_each_scheme_has_a_page(scheme: str) -> None:
    assert f"docs/schemes/{scheme}.md" in DOCUMENTS


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_to_files_and_headings(name: str) -> None:
    assert links.faults(read_page(ROOT / name), ROOT) == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_code_blocks_are_what_they_say(name: str) -> None:
    assert blocks.faults(read_page(ROOT / name), ROOT) == []
