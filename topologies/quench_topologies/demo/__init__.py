# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The demo: the schemes one after the other over the same bottleneck, with TCP of the Linux kernel."""
