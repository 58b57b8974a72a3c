# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Configs: programs of softswitch and of the caller, configs that contradict themselves, and damaged ones."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from finsy.proto import p4i, p4r
from google.protobuf import text_format
from quench_switch._native import compile_p4

from .draw import Draw

ROOT: Final = Path(__file__).parents[3]
ENTITIES: Final = "softswitch/python/tests/p4runtime/programs/entities.p4"
"""The program with one of everything."""
PROGRAMS: Final = (
    ENTITIES,
    "softswitch/python/p4runtime_model/programs/kinds.p4",
    *(
        f"softswitch/tests/programs/{name}.p4"
        for name in (
            "tables/profiles",
            "externs/counters",
            "externs/meters",
            "externs/registers",
            "tables/match_kinds",
            "tables/entries",
            "values/wide",
            "parsing/value_sets",
            "externs/messages",
            "tables/table_control",
            "externs/modern",
        )
    ),
)
Config = p4r.ForwardingPipelineConfig


def compiled(path: Path) -> Config:
    """The config of a P4 program."""
    output = compile_p4(str(path))
    return Config(p4info=text_format.Parse(output.p4info_text, p4i.P4Info()), p4_device_config=output.json.encode())


def all_configs(further: Iterable[Path] = ()) -> list[Config]:
    """Every program that the campaign switches between, further P4 programs among them.

    Raises ``CompileError`` where one is wrong, and OSError.
    """
    configs = [compiled(ROOT / path) for path in PROGRAMS]
    configs.extend(_with_sizes(configs[0]))
    configs.extend(_with_sizes(configs[1]))
    configs.extend(map(compiled, further))
    return configs


def _with_sizes(config: Config) -> list[Config]:
    """The same program with other limits of its selector, which only P4Info knows."""
    members, weightless = Config(), Config()
    members.CopyFrom(config)
    members.p4info.action_profiles[0].max_group_size = 4
    members.p4info.action_profiles[0].sum_of_members.max_member_weight = 8
    weightless.CopyFrom(config)
    weightless.p4info.action_profiles[0].weights_disallowed = True
    weightless.p4info.action_profiles[0].max_group_size = 3
    return [members, weightless]


def broken(draw: Draw, config: Config) -> Config:
    """A config that the switch must refuse in any case."""
    spoiled = Config()
    spoiled.CopyFrom(config)
    info = spoiled.p4info
    ways: list[Any] = [
        lambda: spoiled.ClearField("p4info"),
        lambda: spoiled.ClearField("p4_device_config"),
        lambda: setattr(spoiled, "p4_device_config", draw.randbytes(draw.randint(1, 200))),
        lambda: setattr(spoiled, "p4_device_config", config.p4_device_config[: len(config.p4_device_config) // 2]),
        lambda: setattr(spoiled, "p4_device_config", b"{}"),
        lambda: setattr(spoiled, "p4_device_config", b"[" * 100_000),
        lambda: setattr(spoiled, "p4_device_config", b'{"a":' * 100_000),
        lambda: setattr(spoiled, "p4_device_config", config.p4_device_config + b"\xff"),
    ]
    if info.tables:
        table = draw.choice(info.tables)
        ways += [
            lambda: setattr(table.preamble, "id", 0),
            lambda: setattr(table.preamble, "name", "no_such_table"),
            lambda: info.tables.add().CopyFrom(table),
            lambda: setattr(table.action_refs.add(), "id", 0x01FFFFFF),
            lambda: table.match_fields.add(id=77, name="extra", bitwidth=8, match_type=p4i.MatchField.EXACT),
        ]
        plain = [match for match in table.match_fields if not match.HasField("type_name")]
        if plain:
            match = draw.choice(plain)
            ways += [
                lambda: setattr(match, "bitwidth", match.bitwidth + 1),
                lambda: setattr(match, "bitwidth", -1),
                lambda: setattr(match, "other_match_type", "fuzzy"),
            ]
    for arrays in (info.counters, info.meters, info.registers):
        if arrays:
            array = draw.choice(arrays)
            ways += [
                lambda array=array: setattr(array, "size", array.size + 1),
                lambda array=array: setattr(array.preamble, "name", "no_such_array"),
            ]
    draw.choice(ways)()
    return spoiled


def damaged(draw: Draw, config: Config) -> Config:
    """A config with something changed, which may still be good."""
    spoiled = Config()
    spoiled.CopyFrom(config)
    if draw.chance(0.5):
        data = bytearray(config.p4_device_config)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        spoiled.p4_device_config = bytes(data)
        return spoiled
    tree = json.loads(config.p4_device_config)
    _spoil(draw, tree)
    spoiled.p4_device_config = json.dumps(tree).encode()
    return spoiled


def _spoil(draw: Draw, tree: Any) -> None:
    """Change one value somewhere in a JSON document."""
    holder: Any = None
    place: Any = None
    node = tree
    while isinstance(node, (dict, list)) and node and not (holder is not None and draw.chance(0.1)):
        holder, place = node, draw.choice(list(node) if isinstance(node, dict) else range(len(node)))
        node = node[place]
    if holder is not None:
        holder[place] = draw.choice([None, 0, -1, 2**31, 2**63, 1e300, "", "0x", [], {}, True, [[]]])
