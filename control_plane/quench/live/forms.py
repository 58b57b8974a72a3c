# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The schemes' settings as fields of a form; the schemes declare them."""

from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo
from typing_extensions import TypedDict

from quench.profiles.schemes import FILE_SCHEME
from quench.profiles.settings import SCHEMES, scheme_of
from quench.units import quantity_of

Kind = Literal["depth", "time", "probability", "advice", "flag", "number", "choice"]


class FormField(TypedDict):
    """A setting that one input can say."""

    name: str
    kind: Kind
    choices: list[str]
    """The only values of a ``choice``."""
    help: str
    default: Any
    """The default value as JSON; None: there is none."""


class Form(TypedDict):
    """A scheme. Thresholds come first."""

    scheme: str
    fields: list[FormField]
    names: list[str]
    """All settings, also those that are no fields."""
    needs_file: bool
    """Some settings are no fields, and only a file can say them."""


def forms() -> list[Form]:
    """All schemes, in the order in which they are listed to users."""
    return [_form(name) for name in SCHEMES]


def _form(scheme: str) -> Form:
    model = scheme_of(scheme)
    names = list(model.setting_names())
    defaults = model.model_construct().model_dump(mode="json")
    fields = [
        FormField(
            name=name, kind=kind, choices=_choices(field), help=str(field.description or ""), default=defaults.get(name)
        )
        for name in names
        if (field := model.model_fields[name]).description is not None and (kind := _kind(field)) is not None
    ]
    fields.sort(key=lambda each: each["kind"] != "depth")
    return Form(scheme=scheme, fields=fields, names=names, needs_file=scheme == FILE_SCHEME)


def _kind(field: FieldInfo) -> Kind | None:
    """None: no single input can say it."""
    quantity = quantity_of(field)
    if quantity is not None:
        return quantity
    if get_origin(field.annotation) is Literal:
        return "choice"
    if field.annotation is bool:
        return "flag"
    return "number" if field.annotation in {int, float} else None


def _choices(field: FieldInfo) -> list[str]:
    return list(get_args(field.annotation)) if get_origin(field.annotation) is Literal else []
