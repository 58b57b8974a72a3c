# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The site: its navigation has every page, the reference every command, module and model, and no link leaves it."""

import ast
import re
import shutil
import typing
from pathlib import Path, PurePosixPath

import pytest
import yaml
from quench.service.requests import REQUESTS
from quench_docs import formats, programs, python_api, served
from quench_docs.page import documents, read_page
from quench_docs.programs import ROOT
from quench_docs.sources import Site
from quench_docs.stage import StageError, gather, navigation, stage
from quench_switch.cli.commands import record

OWN_COMMANDS = ("compile", "controller", "isq", "profile", "receive-udp", "send-udp", "stats", "thresholds")


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return {str(place): text for place, text in gather(ROOT).items() if isinstance(text, str)}


def commands(node: programs.Node) -> list[programs.Node]:
    return [node, *(each for child in node.children.values() for each in commands(child))]


def test_the_navigation_has_every_page(tmp_path: Path) -> None:
    stage(ROOT, tmp_path)
    written = yaml.safe_load((tmp_path / "mkdocs.yml").read_text())
    assert {"Home", "How-to", "Explanation", "Reference", "Decisions"} <= {
        title for entry in written["nav"] for title in entry
    }
    assert (tmp_path / "docs" / "images" / "quench.svg").is_file()
    assert not (tmp_path / "docs" / "tests").exists()


def test_sections_have_a_first_page_with_every_page_of_theirs(tmp_path: Path) -> None:
    stage(ROOT, tmp_path)
    how_to = (tmp_path / "docs" / "how-to" / "index.md").read_text()
    for path in (ROOT / "docs" / "how-to").glob("*.md"):
        assert f"]({path.name})" in how_to
    assert "## Operate switches\n\n- [Run the controller](controller.md): " in how_to
    reference = (tmp_path / "docs" / "reference" / "index.md").read_text()
    assert "- [quench profile](command-line/profile.md): Show and draw" in reference
    assert "](../experiments.md)" in reference
    written = yaml.safe_load((tmp_path / "mkdocs.yml").read_text())
    assert [
        section[title][0] for section in written["nav"] for title in section if title in ("How-to", "Reference")
    ] == ["how-to/index.md", "reference/index.md"]


def test_the_search_has_words_and_no_letters() -> None:
    (search,) = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["plugins"]
    separator = re.compile(search["search"]["separator"])

    def words(text: str) -> list[str]:
        return [word for word in separator.split(text) if word]

    assert words("P1.B, h1-1; quench.p4 and mark_at.") == ["P1.B", "h1-1", "quench.p4", "and", "mark_at"]
    assert words("ecn-becn's {green_min_threshold} 'Ethernet0|3'") == (
        ["ecn", "becn's", "green", "min", "threshold", "Ethernet0", "3"]
    )
    assert words("`--scheme <ecn>` --no-pie 1.5 -o FILE") == ["scheme", "ecn", "-no", "pie", "1.5", "-o", "FILE"]


def test_the_navigation_is_refused_where_it_does_not_fit() -> None:
    places = {PurePosixPath("index.md"), PurePosixPath("a/index.md"), PurePosixPath("a/b.md"), PurePosixPath("a/0.md")}
    assert navigation([{"Home": "index.md"}, {"A": "a/"}], places) == [
        {"Home": "index.md"},
        {"A": ["a/index.md", "a/0.md", "a/b.md"]},
    ]
    assert navigation(["index.md", {"A": ["a/b.md", {"Others": "a/"}]}], places) == [
        "index.md",
        {"A": ["a/b.md", {"Others": ["a/index.md", "a/0.md"]}]},
    ]
    with pytest.raises(StageError, match=r"nav: there is no c\.md"):
        navigation(["index.md", "c.md", {"A": "a/"}], places)
    with pytest.raises(StageError, match=r"nav: a/0\.md is in no section"):
        navigation(["index.md"], places)
    with pytest.raises(StageError, match="nav: b/ has no page"):
        navigation([{"B": "b/"}], places)


def test_every_command_and_option_is_in_the_reference(pages: dict[str, str]) -> None:
    for node in commands(programs.quench())[1:]:
        text = pages[f"reference/command-line/{node.name.split()[1]}.md"]
        assert f"# {node.name}\n" in text
        for parameter in node.command.params if not node.hands_over else ():
            if parameter.param_type_name == "option" and not parameter.hidden:
                assert parameter.opts[0] in text, (node.name, parameter.opts)
    assert "--isq-ttl-min" in pages["reference/command-line/host.md"]
    assert "make soak" in pages["reference/command-line/make.md"]
    assert "quench net n1" in pages["reference/command-line/net.md"]


def test_modules_that_documents_import_are_in_the_reference() -> None:
    named = set()
    for path in documents(ROOT):
        for block in read_page(path).blocks:
            if block.language == "python":
                nodes = ast.walk(ast.parse(block.text))
                named |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    ours = {name for name in named if name.startswith("quench")}
    assert ours
    assert ours <= set(python_api.MODULES)


def test_the_reference_has_what_the_code_says(pages: dict[str, str]) -> None:
    simulate = pages["reference/python/quench_experiments.simulation.run.md"]
    assert "simulate(" in simulate
    assert "### VirtualSwitch." in pages["reference/python/quench_switch.md"]
    profile = pages["reference/formats/profile.md"]
    assert "| `maxp` | `ProbabilityField`, > 0 | `0.1` |" in profile
    assert "On the page [Congestion profiles](profile.md)" in pages["reference/formats/configuration.md"]
    assert "| `IsqMode` | `Literal['cpu', 'dataplane', 'off']` |" in pages["reference/formats/configuration.md"]
    assert "quench_dataplane" in pages["reference/rust.md"]


def test_every_model_of_a_format_has_its_keys(pages: dict[str, str]) -> None:
    texts = [text for name, text in pages.items() if name.startswith("reference/formats/")]
    for model in {model for described in formats.FORMATS for model in formats.models(described.roots)}:
        keys = [f"| `{field.alias or name}` |" for name, field in model.model_fields.items()]
        title = f"\n## {model.__name__.lstrip('_')}\n"
        assert any(title in text and all(key in text for key in keys) for text in texts), model


def test_every_key_of_the_controllers_files_and_requests_has_a_description() -> None:
    described = {each.name: each.roots for each in formats.FORMATS if each.name in ("profile", "configuration")}
    roots = (*described["profile"], *described["configuration"], *REQUESTS.values())
    missing = [
        f"{model.__name__}.{name}"
        for model in formats.models(roots)
        for name, field in model.model_fields.items()
        # A discriminator has one value, which the section's title repeats.
        if not formats.description(model, name)
        and not (typing.get_origin(field.annotation) is typing.Literal and len(typing.get_args(field.annotation)) == 1)
    ]
    assert missing == []


def test_every_option_and_argument_of_a_controllers_command_has_a_help_text() -> None:
    root = programs.quench()
    waiting = [root.children[name] for name in OWN_COMMANDS]
    missing = []
    while waiting:
        node = waiting.pop()
        waiting += node.children.values()
        missing += [
            f"{node.name} {each.name}"
            for each in node.command.get_params(node.context)
            if not (record(each, node.context) or ("", "-"))[1].partition("[")[0].strip()
        ]
    assert missing == []


def test_files_outside_become_pages(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "p4src").mkdir()
    (tmp_path / "p4src" / "a.p4").write_text("// ```\ncontrol C();\n")
    (tmp_path / "README.md").write_text("# R\n\n[docs](docs/x.md#x) and [the program](p4src/a.p4)\n")
    (tmp_path / "docs" / "x.md").write_text(
        "# X\n\n[r](../README.md), [p](../p4src)\n\n```text\n[r](../README.md)\n```\n"
    )
    site = Site(tmp_path)
    place = site.place(tmp_path / "docs" / "x.md")
    text = site.translate(read_page(tmp_path / "docs" / "x.md"), place)
    assert text == "# X\n\n[r](source/README.md), [p](source/p4src/index.md)\n\n```text\n[r](../README.md)\n```\n"
    sources = {str(place): text for place, text in site.source_pages()}
    assert sources["source/README.md"] == "# R\n\n[docs](../x.md#x) and [the program](p4src/a.p4.md)\n"
    assert sources["source/p4src/a.p4.md"] == "# p4src/a.p4\n\n````c\n// ```\ncontrol C();\n````\n"
    assert sources["source/p4src/index.md"] == "# p4src\n\n- `a.p4`\n"


def test_what_a_browser_would_fetch_elsewhere_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = '<link rel="canonical" href="https://example.org/"><img src="a.svg"><a href="https://example.org/">x</a>'
    page = tmp_path / "a" / "index.html"
    page.parent.mkdir()
    page.write_text(own)
    assert served.main(tmp_path) == 0
    page.write_text(
        f'{own}<script src="//cdn.example/x.js"></script><link rel="stylesheet" href="https://f.example/y">'
    )
    assert served.main(tmp_path) == 1
    lines = capsys.readouterr().err.splitlines()
    assert [line.rpartition(" ")[2] for line in lines] == ["//cdn.example/x.js", "https://f.example/y"]
    assert served.main(tmp_path / "empty") == 1


def test_nothing_is_left_of_an_earlier_site(tmp_path: Path) -> None:
    stage(ROOT, tmp_path)
    (tmp_path / "docs" / "gone.md").write_text("# Gone\n")
    stage(ROOT, tmp_path)
    assert not (tmp_path / "docs" / "gone.md").exists()
    shutil.rmtree(tmp_path)
