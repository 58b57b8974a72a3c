# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""TLS towards switches, by finsy's credentials."""

from pathlib import Path

import finsy as fy
from quench_switch.outside.files import read_file

from quench.config.model import TlsConfig
from quench.errors import ConfigError

MAX_BYTES = 1 << 20
"""The size of the largest file with certificates."""


def credentials(config: TlsConfig | None) -> fy.GRPCCredentialsTLS | None:
    """The credentials in the files, read now: a fault shows before the first connection. Raises ConfigError."""
    if config is None:
        return None
    return fy.GRPCCredentialsTLS(
        cacert=_read("ca", config.ca),
        cert=_read("cert", config.cert),
        private_key=_read("key", config.key),
        target_name_override=config.server_name or "",
    )


def _read(name: str, path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        content = read_file(path, MAX_BYTES)
    except OSError as error:
        raise ConfigError(f"{path}: tls.{name} cannot be read: {error.strerror}") from error
    if b"-----BEGIN " not in content:
        raise ConfigError(f"{path}: tls.{name} is not in PEM")
    return content
