# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A Grafana dashboard over the controller's metrics.

In: the metrics as ``quench.service`` declares them. Out: the dashboard as JSON. Begin with ``panels``, the contents,
then ``dashboard``, the form.
"""
