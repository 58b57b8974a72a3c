# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``p4c`` and ``p4c-bm2-ss``: p4c's options, and ``quench compile``.

The driver ``p4c`` takes a folder after ``-o`` and writes NAME.p4i and NAME.json there; the compiler ``p4c-bm2-ss``
takes the JSON's own path. Both write P4Info only where an option names its file.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from quench_switch.outside.files import write_files

from .arguments import Version, ignore, name_ignored, parser, warn
from .compiling import P4RUNTIME_SUFFIXES, Job, compile_file, preprocess
from .dependencies import Rule

_LANGUAGE: Final = {
    text: f"p4-{number}"
    for number, texts in {"16": ("16", "1.2", "p4-16", "p4_16"), "14": ("14", "1.0", "p4-14", "p4_14")}.items()
    for text in texts
}
_NO_EFFECT: Final = (
    "--disable-annotations",
    "--disable-annotation",
    "--disable-pragmas",
    "--disable-pragma",
    "--Winfo",
    "--dump",
    "--excludeFrontendPasses",
    "--excludeMidendPasses",
    "--maxErrorCount",
    "--metrics",
    "--pp",
    "--toJSON",
    "--toJson",
    "--top4",
    "-T",
)
"""Options with a value."""
_NO_EFFECT_FLAGS: Final = (
    "--doNotEmitIncludes",
    "--emit-externs",
    "--listFrontendPasses",
    "--listMidendPasses",
    "--testJson",
    "-MG",
    "-g",
)
_HARMLESS_FLAGS: Final = ("--loopsUnroll", "--ndebug", "--nocpp", "--parser-inline-opt", "-O")
"""Choices within p4c that change no result of a correct program."""
_LISTS: Final = (
    "include",
    "define",
    "undefine",
    "diagnostics",
    "p4runtime_files",
    "p4runtime_entries_files",
    "ignored",
)
"""Options of the compiler that add up."""
_DIAGNOSTICS: Final = ("--Wdisable", "--Wwarn", "--Werror")


def _common(options: argparse.ArgumentParser) -> None:
    options.add_argument("-I", dest="include", action="append", default=[], metavar="DIR")
    options.add_argument("-D", dest="define", action="append", default=[], metavar="NAME[=VALUE]")
    options.add_argument("-U", dest="undefine", action="append", default=[], metavar="NAME")
    options.add_argument("-E", dest="preprocess", action="store_true", help="only preprocess")
    options.add_argument("-M", dest="rule_only", action="store_true", help="only the rule for make")
    options.add_argument("-MD", dest="rule_too", action="store_true", help="write the rule for make too")
    options.add_argument("-MF", dest="rule_file", metavar="FILE", help="the rule's file")
    options.add_argument("-MT", dest="rule_target", metavar="TARGET", help="the rule's target")
    options.add_argument("-MQ", dest="quoted_target", metavar="TARGET", help="the same, quoted for make")
    options.add_argument("-MP", dest="phony", action="store_true", help="an empty rule for each file too")
    options.add_argument("--p4v", "--std", "-x", dest="language", choices=sorted(_LANGUAGE), default="p4-16")
    options.add_argument("--p4runtime-files", action="append", default=[], metavar="FILE[,FILE]")
    options.add_argument("--p4runtime-file", metavar="FILE")
    options.add_argument("--p4runtime-entries-files", action="append", default=[], metavar="FILE[,FILE]")
    options.add_argument("--p4runtime-entries-file", metavar="FILE")
    options.add_argument("--p4runtime-format", choices=("binary", "json", "text"), default="binary")
    for option in _DIAGNOSTICS:
        options.add_argument(option, dest="diagnostics", action=_Diagnostic, default=[], metavar="NAME")
    for option in _HARMLESS_FLAGS:
        options.add_argument(option, action="store_true", help="accepted")
    ignore(options, _NO_EFFECT, value=True)
    ignore(options, _NO_EFFECT_FLAGS, value=False)


class _Diagnostic(argparse.Action):
    """The treatment of a warning, as ``quench compile`` spells it."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        """Remember the option with its value."""
        names = values.split(",") if isinstance(values, str) and values else ["all"]
        found = [f"{option_string}={name}" for name in names]
        namespace.diagnostics = [*namespace.diagnostics, *found]


def _driver() -> argparse.ArgumentParser:
    options = parser("p4c", "Compile P4-16 for v1model, as p4c's driver does, with Quench's compiler.")
    options.add_argument("-V", "--version", action=Version, text="p4c of Quench {}")
    options.add_argument("-b", "--target", default=os.environ.get("P4C_DEFAULT_TARGET", "bmv2"))
    options.add_argument("-a", "--arch", default=os.environ.get("P4C_DEFAULT_ARCH", "v1model"))
    options.add_argument("-o", "--output", type=Path, default=Path(), metavar="DIR")
    options.add_argument("-c", "--compile", "-S", "-e", "-v", "--debug", action="store_true", dest="steps")
    options.add_argument("-Xpreprocessor", dest="for_preprocessor", action="append", default=[], metavar="ARG")
    options.add_argument("-Xp4c", dest="for_compiler", action="append", default=[], metavar="ARG")
    ignore(options, ("-Xassembler", "-Xlinker"), value=True)
    options.add_argument("--target-help", "--targets-help", "--help-targets", dest="targets", action="store_true")
    options.add_argument("source", nargs="?", type=Path, metavar="PROGRAM.p4")
    _common(options)
    return options


def _compiler() -> argparse.ArgumentParser:
    options = parser("p4c-bm2-ss", "Compile P4-16 for v1model, as p4c's BMv2 back end does, with Quench's compiler.")
    options.add_argument("--version", action=Version, text="p4c-bm2-ss\nVersion of Quench {}")
    options.add_argument("--target", default="bmv2")
    options.add_argument("--arch", default="v1model")
    options.add_argument("-o", dest="output", type=Path, metavar="FILE.json")
    options.add_argument("-v", action="count", dest="steps")
    ignore(options, ("--fromJSON", "-W"), value=True)
    options.add_argument("source", type=Path, metavar="PROGRAM.p4")
    _common(options)
    return options


def _parsed(options: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace:
    """A name after ``--Wdisable`` and its like stands behind ``=``: without, the program would be taken for it."""
    return options.parse_args([f"{word}=" if word in (*_DIAGNOSTICS, "--Winfo") else word for word in arguments])


def _job(options: argparse.ArgumentParser, given: argparse.Namespace) -> Job:
    if given.target not in ("bmv2", "bmv2-ss-p4org") or given.arch not in ("v1model", "ss", "ss-p4org"):
        options.error(
            f"target {given.target} and architecture {given.arch}: this command compiles for bmv2 and v1model; "
            "for Tofino there is 'quench compile --arch tna'"
        )
    if _LANGUAGE[given.language] != "p4-16":
        options.error("P4-14 is not supported: Quench compiles P4-16")
    if not given.source.is_file():
        options.error(f'the input file "{given.source}" does not exist')
    p4infos = _p4runtime_files(options, "--p4runtime-file", given.p4runtime_files, given.p4runtime_file)
    entries = _p4runtime_files(
        options, "--p4runtime-entries-file", given.p4runtime_entries_files, given.p4runtime_entries_file
    )
    return Job(
        program=options.prog,
        source=given.source,
        include=given.include,
        define=given.define,
        undefine=given.undefine,
        diagnostics=given.diagnostics,
        p4infos=p4infos,
        entries=entries,
        p4runtime_format=given.p4runtime_format if _uses_deprecated_files(given) else None,
    )


def _p4runtime_files(
    options: argparse.ArgumentParser, deprecated: str, lists: Sequence[str], single: str | None
) -> list[str]:
    files = [name for names in lists for name in names.split(",") if name]
    if files and single:
        options.error(f"give {deprecated}s or the deprecated {deprecated}, not both")
    for name in files:
        if Path(name).suffix not in P4RUNTIME_SUFFIXES:
            options.error(f"{name}: files for P4Runtime have one of the suffixes {', '.join(P4RUNTIME_SUFFIXES)}")
    return [*files, single] if single else files


def _uses_deprecated_files(given: argparse.Namespace) -> bool:
    return bool(given.p4runtime_file or given.p4runtime_entries_file)


def _rule(given: argparse.Namespace, default_file: Path | None) -> Rule | None:
    if not (given.rule_only or given.rule_too):
        return None
    target = given.rule_target or f"{given.source.stem}.o"
    if given.quoted_target is not None:
        target = given.quoted_target.replace("$", "$$").replace(" ", "\\ ")
    return Rule(target, Path(given.rule_file) if given.rule_file else default_file, given.phony)


def driver(arguments: Sequence[str] | None = None) -> int:
    """The command ``p4c``; returns its status."""
    options = _driver()
    given = _parsed(options, sys.argv[1:] if arguments is None else arguments)
    if given.targets:
        sys.stdout.write('Supported targets in "target, arch" tuple:\nbmv2-v1model\n')
        return 0
    if given.source is None:
        options.error("no input file was specified")
    if given.for_compiler:
        more = _parsed(_compiler(), [*given.for_compiler, str(given.source)])
        for name in _LISTS:
            setattr(given, name, [*getattr(given, name), *getattr(more, name)])
        given.p4runtime_file = given.p4runtime_file or more.p4runtime_file
        given.p4runtime_entries_file = given.p4runtime_entries_file or more.p4runtime_entries_file
    _for_preprocessor(options, given)
    job = _job(options, given)
    name_ignored("p4c", given.ignored)
    if _uses_deprecated_files(given):
        warn("p4c", "--p4runtime-file and --p4runtime-format are deprecated: use --p4runtime-files")
    given.output.mkdir(parents=True, exist_ok=True)
    base = given.output / given.source.stem
    text = preprocess(job)
    if text is None:
        return 1
    preprocessed = base.with_name(f"{base.name}.p4i")
    rule = _rule(given, preprocessed if given.rule_only else Path(f"{given.source.stem}.d"))
    files = [] if given.rule_only else [(preprocessed, text)]
    if rule is not None and rule.file is not None:
        files.append((rule.file, rule.text(job.source, text)))
    write_files(*files)
    if given.preprocess or given.rule_only:
        return 0
    return compile_file(job, base.with_name(f"{base.name}.json"))


def _for_preprocessor(options: argparse.ArgumentParser, given: argparse.Namespace) -> None:
    """Arguments of ``-Xpreprocessor``, which may stand apart from their values."""
    cpp = parser(f"{options.prog} -Xpreprocessor", "")
    for name, dest in (("-I", "include"), ("-D", "define"), ("-U", "undefine")):
        cpp.add_argument(name, dest=dest, action="append", default=[])
    known, others = cpp.parse_known_args(given.for_preprocessor)
    for dest in ("include", "define", "undefine"):
        setattr(given, dest, [*getattr(given, dest), *getattr(known, dest)])
    given.ignored = [*given.ignored, *(f"-Xpreprocessor {text}" for text in others)]


def compiler(arguments: Sequence[str] | None = None) -> int:
    """The command ``p4c-bm2-ss``; returns its status."""
    options = _compiler()
    given = _parsed(options, sys.argv[1:] if arguments is None else arguments)
    job = _job(options, given)
    name_ignored("p4c-bm2-ss", given.ignored)
    rule = _rule(given, None if given.rule_only else Path(f"{given.source.stem}.d"))
    if rule is not None or given.preprocess:
        text = preprocess(job)
        if text is None:
            return 1
        if rule is not None and rule.file is not None:
            write_files((rule.file, rule.text(job.source, text)))
        elif rule is not None:
            sys.stdout.write(rule.text(job.source, text))
        if given.preprocess and not given.rule_only:
            sys.stdout.write(text)
        if given.preprocess or given.rule_only:
            return 0
    return compile_file(job, given.output)
