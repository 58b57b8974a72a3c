# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Refusals as the services' exceptions."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final

from bm_runtime.simple_pre_lag.ttypes import InvalidMcOperation, McOperationErrorCode
from bm_runtime.standard import ttypes as t
from thrift.Thrift import TApplicationException

_log = logging.getLogger(__name__)


def _of_array(exception: Callable[[int], Any], codes: Any, kind: str) -> Callable[[str], Any]:
    """The exception of an array of cells, whose codes have these names."""
    names = {"out_of_range": "INVALID_INDEX", "not_found": f"INVALID_{kind}_NAME"}
    return lambda code: exception(getattr(codes, names.get(code, "ERROR")))


_TABLE: Final = {
    "resource_exhausted": t.TableOperationErrorCode.TABLE_FULL,
    "already_exists": t.TableOperationErrorCode.DUPLICATE_ENTRY,
    "not_found": t.TableOperationErrorCode.INVALID_HANDLE,
    "permission_denied": t.TableOperationErrorCode.IMMUTABLE_TABLE_ENTRIES,
}
_BY_PREFIX: Final[dict[str, Callable[[str], Any]]] = {
    "bm_mt_": lambda code: t.InvalidTableOperation(_TABLE.get(code, t.TableOperationErrorCode.ERROR)),
    "bm_counter_": _of_array(t.InvalidCounterOperation, t.CounterOperationErrorCode, "COUNTER"),
    "bm_meter_": _of_array(t.InvalidMeterOperation, t.MeterOperationErrorCode, "METER"),
    "bm_register_": _of_array(t.InvalidRegisterOperation, t.RegisterOperationErrorCode, "REGISTER"),
    "bm_parse_vset_": lambda code: t.InvalidParseVSetOperation(
        t.ParseVSetOperationErrorCode.INVALID_PARSE_VSET_NAME
        if code == "not_found"
        else t.ParseVSetOperationErrorCode.ERROR
    ),
    "bm_set_crc": lambda code: t.InvalidCrcOperation(
        t.CrcErrorCode.INVALID_CALCULATION_NAME if code == "not_found" else t.CrcErrorCode.WRONG_TYPE_CALCULATION
    ),
    "bm_mc_mgrp_": lambda _: InvalidMcOperation(McOperationErrorCode.INVALID_MGID),
    "bm_mc_": lambda _: InvalidMcOperation(McOperationErrorCode.ERROR),
    "bm_dev_mgr_": lambda _: t.InvalidDevMgrOperation(t.DevMgrErrorCode.ERROR),
}


_LOGGED_ONLY: Final = ("mirroring_session_add", "mirroring_mapping_add", "set_")
"""Methods whose clients know no exception: BMv2 logs what it refuses, and its client goes on."""
_REFUSED: Final = 1
"""The result of those methods that return a number."""


def refuse(method: str, code: str, message: str) -> int:
    """Raise the exception that a method's clients know, for a refusal with one of the data plane's codes.

    Where they know none this returns the method's result, and the log has the reason.
    """
    if not method.startswith(_LOGGED_ONLY):
        raise _exception(method, code, message)
    _log.warning("Thrift: %s: %s", method, message)
    return _REFUSED


def _exception(method: str, code: str, message: str) -> Exception:
    for prefix, make in _BY_PREFIX.items():
        if method.startswith(prefix):
            made: Exception = make(code)
            return made
    return unsupported(f"{method}: {message}")


def unsupported(message: str) -> Exception:
    """An error that any client shows as text."""
    made: Exception = TApplicationException(TApplicationException.UNKNOWN_METHOD, message)
    return made


def table_error(name: str) -> t.InvalidTableOperation:
    """An error of BMv2's TableOperationErrorCode, by name."""
    made: t.InvalidTableOperation = t.InvalidTableOperation(t.TableOperationErrorCode._NAMES_TO_VALUES[name])
    return made
