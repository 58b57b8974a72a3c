# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The rest of the service Standard: the configuration, and methods that the switch refuses."""

from __future__ import annotations

from typing import Any, Final

from bm_runtime.standard import ttypes as t

from .errors import unsupported
from .running import Running

_LISTS: Final = {
    t.BmResourceType.MATCH_TABLE: "tables",
    t.BmResourceType.ACTION_PROFILE: "action_profiles",
    t.BmResourceType.COUNTER: "counter_arrays",
    t.BmResourceType.METER: "meter_arrays",
    t.BmResourceType.REGISTER: "register_arrays",
    t.BmResourceType.LEARNING_LIST: "learn_lists",
}


class Management:
    """Configuration and identity."""

    def __init__(self, running: Running, device_id: int, port: int) -> None:
        self._running = running
        self._info = t.BmConfig(device_id=device_id % (1 << 63), thrift_port=port)

    def bm_mgmt_get_info(self) -> t.BmConfig:
        """Device id and Thrift port. The switch has no nanomsg sockets."""
        return self._info

    def bm_get_config(self) -> str:
        """The running program's JSON."""
        return self._running.config()

    def bm_get_config_md5(self) -> bytes:
        """Its MD5 sum."""
        return self._running.config_md5()

    def bm_get_id_from_name(self, _context: int, kind: int, name: str) -> int:
        """The number of an object in the JSON."""
        if kind not in _LISTS:
            raise t.InvalidIdLookup(t.IdLookupErrorCode.INVALID_RESOURCE_TYPE)
        number = self._running.identifier(_LISTS[kind], name)
        if number is None:
            raise t.InvalidIdLookup(t.IdLookupErrorCode.INVALID_RESOURCE_NAME)
        return number

    def bm_reset_state(self) -> None:
        """Begin the program anew."""
        self._running.restart()

    def bm_serialize_state(self) -> str:
        """Entries are read by P4Runtime or ``bm_mt_get_entries``."""
        raise unsupported("the switch does not serialise its state")

    def bm_load_new_config(self, _config: str) -> None:
        """Programs are replaced by P4Runtime."""
        raise t.InvalidSwapOperation(t.SwapOperationErrorCode.CONFIG_SWAP_DISABLED)

    def bm_swap_configs(self) -> None:
        """Programs are replaced by P4Runtime."""
        raise t.InvalidSwapOperation(t.SwapOperationErrorCode.CONFIG_SWAP_DISABLED)

    def bm_learning_ack(self, *_arguments: Any) -> None:
        """Digests go by P4Runtime."""
        raise t.InvalidLearnOperation(t.LearnOperationErrorCode.ERROR)

    bm_learning_ack_buffer = bm_learning_set_timeout = bm_learning_set_buffer_size = bm_learning_ack

    def bm_set_crc16_custom_parameters(self, *_arguments: Any) -> None:
        """No calculation of a program is a custom CRC: such a program is refused."""
        raise t.InvalidCrcOperation(t.CrcErrorCode.WRONG_TYPE_CALCULATION)

    bm_set_crc32_custom_parameters = bm_set_crc16_custom_parameters
