# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The checks of code blocks find what they are for."""

import pytest
from quench_docs import blocks, links
from quench_docs.page import Block, read_page
from quench_docs.programs import ROOT


def problems(language: str, text: str, mark: str | None = None) -> str:
    return "; ".join(blocks.check(Block(1, language, mark, text)))


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("quench stats", ""),
        ("quench thresholds set s1 --port 1 --scheme ecn --minth 15KB --maxth 45KB   # a comment", ""),
        ("quench threshold show", "quench has no command 'threshold'"),
        ("quench thresholds set s1 --port 1 --min 15KB", "No such option: --min"),
        ("quench thresholds set s1 --scheme ecn", "--port is missing"),
        ("quench stats s1 s2", "'s2' is one argument too many"),
        ("quench experiment run P1.A --fast", "No such option: --fast"),
        ("quench experiment compare ns3", "quench experiment compare has no command 'ns3'"),
        ("quench switch build/quench.json -i 1@veth1 --grpc-address x", "No such option: --grpc-address"),
        ("quench host enable --algo becn --device eth0", "quench-host has no option --device"),
        ("quench-host start --dev eth0", "quench-host has no command 'start'"),
        ("sudo ip netns exec h1 .venv/bin/quench stat", "quench has no command 'stat'"),
        ("RATE=10Mbps; for i in 1 2; do quench stats --colour; done | tee log", "No such option: --colour"),
        ("make demo && make sook", "make has no target 'sook'"),
        ("make fuzz TIME=60 THYME=3", "no variable THYME"),
        ("make -C host_stack blind GUESSES=10", ""),
        ("quench net n9", "quench net has no command 'n9'"),
        ("python -m p4runtime_model --second 3", "has no option --second"),
        ("python -m quench_nothing", "no module 'quench_nothing'"),
        ("python bench/runs.py", "no bench/runs.py"),
        ("cargo test -p quench-dataplan", "no crate 'quench-dataplan'"),
        ("quench stats\n   # prints the controller's socket", ""),
        ("python -m pytest docs/tests --junitxml=out/docs.xml", ""),
        ("[ -f net.yaml ] || quench controller run net.yaml --metrics [::1]:9464", ""),
        ("frobnicate --all", "'frobnicate' is no program"),
        ("quench compile PROGRAM.p4 [-o DIR|FILE.json] [-I DIR]... [-Q]", "No such option: -Q"),
    ],
)
def test_shell(line: str, fault: str) -> None:
    found = problems("sh", line)
    assert fault in found if fault else not found


def test_shell_reads_what_a_shell_reads() -> None:
    script = "cat > net.yaml <<'EOF'\nquench nonsense: 1\nEOF\nquench controller \\\n  check net.yaml\n"
    assert problems("sh", script) == ""
    assert "line 4: quench controller has no command 'chek'" in problems("sh", script.replace("check", "chek"))
    assert problems("console", "$ quench stats\nport 1: 20 marked; no command\nmininet> pingall\n") == ""
    assert "no command 'statistics'" in problems("console", "server1$ quench statistics\n")
    assert "its language is text" in problems("console", "port 1: 20 marked\n")


@pytest.mark.parametrize(
    ("language", "text", "mark", "fault"),
    [
        ("", "anything", None, "does not say its language"),
        ("brainfuck", "+", None, "no check for blocks of 'brainfuck'"),
        ("text", "anything ]", None, ""),
        ("yaml", "a: [1, 2", None, "not yaml"),
        ("json", '{"a": }', None, "not json"),
        ("yaml", "scheme: red\nminth: 15KB\nmaxth: 45KB\n", "profile", ""),
        ("yaml", "scheme: red\nminth: 45KB\nmaxth: 15KB\n", "profile", "must be less than maxth"),
        ("yaml", "scheme: red\nminth: 15KB\nmax: 45KB\n", "profile", "max"),
        ("yaml", "switches: []\n", "configuration", "switches"),
        ("yaml", "title: x\n", "experiment", "about"),
        ("json", '{"duration_s": 1}', "scenario", "links"),
        ("json", '{"hosts": {}, "links": []}', "topology", "switches"),
        ("yaml", "a: 1\n", "everything", "no model 'everything'"),
        ("python", "from quench.profiles import parse_settings\n", None, ""),
        ("python", "from quench.profiles import parse_setting\n", None, "quench.profiles has no 'parse_setting'"),
        ("python", "import quench.profile\n", None, "no module 'quench.profile'"),
        ("python", "def f(:\n", None, "line 1"),
        ("python", "assert 1 == 2\n", None, ""),
        ("python", "assert 1 == 2\n", "run", "AssertionError"),
        ("sh", "cd /nowhere\n", None, ""),
        ("sh", "cd /nowhere\n", "run", "it ends with 1: /bin/bash: line 1: cd: /nowhere"),
        ("sh", "quench profile show --scheme ecn | head -n 1\n", "run", ""),
        ("p4", "table curve { }\n", None, ""),
        ("p4", "#include <core.p4>\nNothing() main;\n", None, "block.p4:2"),
    ],
)
def test_blocks(language: str, text: str, mark: str | None, fault: str) -> None:
    found = problems(language, text, mark)
    assert fault in found if fault else not found


def test_links(tmp_path) -> None:
    (tmp_path / "other.md").write_text("# Other\n\n## A heading: `code` & more\n\n## Twice\n\n## Twice\n")
    page = tmp_path / "page.md"
    page.write_text(
        "# Page\n\n[1](other.md) [2](other.md#a-heading-code-more) [3](#page) [4](other.md#twice_1)\n\n"
        '[5](none.md) [6](other.md#nothing) ![7](a.png) <a href="gone.md">8</a> [9](https://example.org/x)\n\n'
        "```text\n[10](not-a-link.md)\n```\n"
    )
    assert links.faults(read_page(page), tmp_path) == [
        "page.md:5: none.md: there is no such file",
        "page.md:5: other.md#nothing: other.md has no heading #nothing",
        "page.md:5: a.png: there is no such file",
        "page.md:5: gone.md: there is no such file",
    ]


def test_a_mark_stands_in_front_of_its_block(tmp_path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# P\n\n<!-- check: run -->\n```python\nx = 1\n```\n\n```python\ny = 1\n```\n\n`quench stat` is wrong.\n"
    )
    assert [block.mark for block in read_page(page).blocks] == ["run", None]
    assert blocks.faults(read_page(page), tmp_path) == ["page.md:12: `quench stat`: quench has no command 'stat'"]


def test_the_repository_is_searched_without_what_is_built() -> None:
    from quench_docs.page import documents

    assert not [path for path in documents(ROOT) if {"build", ".venv", "out"} & set(path.relative_to(ROOT).parts)]
