# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A Grafana dashboard over the controller's metrics, alerts, and the files that start Prometheus and Grafana.

In: the metrics as ``quench.service`` declares them. Out: the dashboard as JSON, and a folder of files. Begin with
``panels``, the contents, then ``dashboard``, the form; ``alerts`` are Prometheus's rules, ``stack`` is the folder.
"""
