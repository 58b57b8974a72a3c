# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The P4Info of a program as the controller names things: of a TNA program without the pipe and p4c's own externs.

The switch gets the P4Info as the compiler wrote it.
"""

from collections import Counter

from finsy import P4Schema
from finsy.proto import p4i, p4r
from google.protobuf import text_format
from quench_switch.tna.p4info import standard, with_standard_ids, without_pipe


class ProgramSchema(P4Schema):
    """finsy's schema of any of the compilers' P4Info."""

    def __init__(self, p4info: p4i.P4Info | None = None, p4blob: bytes | None = None) -> None:
        """Raises ValueError for a P4Info that contradicts itself."""
        self._written = p4info
        super().__init__(None if p4info is None else _own_terms(p4info), p4blob)

    def set_p4info(self, p4info: p4i.P4Info) -> None:
        """Take the P4Info that a switch runs. Raises ValueError."""
        self._written = p4info
        super().set_p4info(_own_terms(p4info))

    def get_pipeline_config(self) -> p4r.ForwardingPipelineConfig:
        """The pipeline config that the switch gets."""
        config = super().get_pipeline_config()
        if self._written is not None:
            config.p4info.CopyFrom(self._written)
        return config


def read_schema(p4info: bytes, p4blob: bytes | None = None) -> ProgramSchema:
    """The schema of a P4Info file's text. Raises ValueError, text_format.ParseError."""
    return ProgramSchema(text_format.Parse(p4info.decode(), p4i.P4Info()), p4blob)


def _own_terms(info: p4i.P4Info) -> p4i.P4Info:
    # The switch is sent no id that changes here.
    return _with_distinct_keys(_with_short_aliases(with_standard_ids(without_pipe(standard(info)))))


def _with_distinct_keys(info: p4i.P4Info) -> p4i.P4Info:
    """Keys whose last parts differ in a table, as finsy 0.30 wants them: of two ``src`` one is ``h.ip_src``."""
    made = p4i.P4Info()
    made.CopyFrom(info)
    for table in made.tables:
        while alike := _alike(table):
            for field in alike:
                field.name = "_".join(field.name.rsplit(".", 1))
    return made


def _alike(table: p4i.Table) -> list[p4i.MatchField]:
    """The keys that end as another one does, and can be told from it by the part before."""
    ends = Counter(field.name.rpartition(".")[2] for field in table.match_fields)
    return [field for field in table.match_fields if "." in field.name and ends[field.name.rpartition(".")[2]] > 1]


def _with_short_aliases(info: p4i.P4Info) -> p4i.P4Info:
    """Actions whose aliases have at most one dot: finsy 0.30 reads no other, and controls in controls have such."""
    if all(action.preamble.alias.count(".") <= 1 for action in info.actions):
        return info
    made = p4i.P4Info()
    made.CopyFrom(info)
    for action in made.actions:
        controls, _, last = action.preamble.alias.rpartition(".")
        if "." in controls:
            action.preamble.alias = f"{controls.replace('.', '/')}.{last}"
    return made
