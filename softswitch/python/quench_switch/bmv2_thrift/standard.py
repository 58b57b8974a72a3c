# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The rest of the service Standard: the configuration, and methods that the switch refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bm_runtime.standard import ttypes as t

from .errors import unsupported
from .running import LISTS, Running

if TYPE_CHECKING:
    from .learning import Learning, Notifications


def _check_list(is_there: bool) -> None:
    if not is_there:
        raise t.InvalidLearnOperation(t.LearnOperationErrorCode.INVALID_LIST_ID)


class Management:
    """Configuration and identity."""

    def __init__(self, running: Running, device_id: int, port: int, notifications: Notifications | None) -> None:
        self._running = running
        self._learning = None if notifications is None else notifications.learning
        self._info = t.BmConfig(device_id=device_id % (1 << 63), thrift_port=port)
        if notifications is not None:
            self._info.notifications_socket = notifications.address.text

    def bm_mgmt_get_info(self) -> t.BmConfig:
        """Device id, Thrift port and the address of notifications. The switch has no other nanomsg sockets."""
        return self._info

    def bm_get_config(self) -> str:
        """The running program's JSON."""
        return self._running.config()

    def bm_get_config_md5(self) -> bytes:
        """Its MD5 sum."""
        return self._running.config_md5()

    def bm_get_id_from_name(self, _context: int, kind: int, name: str) -> int:
        """The number of an object in the JSON."""
        if kind not in LISTS:
            raise t.InvalidIdLookup(t.IdLookupErrorCode.INVALID_RESOURCE_TYPE)
        number = self._running.identifier(kind, name)
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

    def bm_learning_ack(self, _context: int, number: int, buffer_id: int, samples: list[int]) -> None:
        """Report some samples of a buffer again if they come again."""
        _check_list(self._learns().acknowledge(number, buffer_id, samples))

    def bm_learning_ack_buffer(self, _context: int, number: int, buffer_id: int) -> None:
        """Report the samples of a buffer again if they come again."""
        _check_list(self._learns().acknowledge(number, buffer_id))

    def bm_learning_set_timeout(self, _context: int, number: int, timeout_ms: int) -> None:
        """Set the longest time that a sample waits for others; 0: for any time."""
        if timeout_ms < 0:
            raise t.InvalidLearnOperation(t.LearnOperationErrorCode.ERROR)
        _check_list(self._learns().set_timeout(number, timeout_ms))

    def bm_learning_set_buffer_size(self, _context: int, number: int, samples: int) -> None:
        """Set the number of samples that are sent together."""
        if samples < 0:
            raise t.InvalidLearnOperation(t.LearnOperationErrorCode.ERROR)
        _check_list(self._learns().set_most_samples(number, samples))

    def _learns(self) -> Learning:
        if self._learning is None:
            # Without --notifications-addr digests go by P4Runtime only.
            raise t.InvalidLearnOperation(t.LearnOperationErrorCode.ERROR)
        return self._learning

    def bm_set_crc16_custom_parameters(self, _context: int, name: str, config: t.BmCrc16Config) -> None:
        """Set the parameters of a calculation that is crc16_custom."""
        self._set_crc(name, 16, config)

    def bm_set_crc32_custom_parameters(self, _context: int, name: str, config: t.BmCrc32Config) -> None:
        """Set the parameters of a calculation that is crc32_custom."""
        self._set_crc(name, 32, config)

    def _set_crc(self, name: str, width: int, config: Any) -> None:
        numbers = (config.polynomial, config.initial_remainder, config.final_xor_value)
        reflections = (config.data_reflected, config.remainder_reflected)
        if None in numbers + reflections:
            raise t.InvalidCrcOperation(t.CrcErrorCode.INVALID_CONFIG)
        # The interface's integers have signs.
        polynomial, initial, final_xor = (number % (1 << width) for number in numbers)
        self._running.switch.set_custom_crc(name, width, polynomial, initial, final_xor, *reflections)
