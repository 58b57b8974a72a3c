# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The command line ``quench``.

In: words and options. Out: calls of the other packages, text or JSON on stdout, errors as one line on stderr. Begin
with ``app``, which lists the commands; each has a module ``NAME_cmd``.
"""

import os

# Before gRPC is imported, which reads it then. Its core writes to stderr past the log, as often as a peer wants.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
# Before pydantic builds a model, which would search all installed packages for plugins, and import those of strangers.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
