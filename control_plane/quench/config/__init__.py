# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The controller's configuration: one YAML file, checked whole before anything is done.

In: a path. Out: a ``Config``, or a ``ConfigError`` with file, line and column. Begin with ``model``, the keys of the
file; ``yaml_file`` limits and reads the bytes.
"""

from quench.config.file import load_config
from quench.config.model import ClassConfig, Config, PortConfig, Queue, RouteConfig, SwitchConfig

__all__ = ["ClassConfig", "Config", "PortConfig", "Queue", "RouteConfig", "SwitchConfig", "load_config"]
