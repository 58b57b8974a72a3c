# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A folder from which ``docker compose up`` starts Prometheus and Grafana beside a controller.

Both are on the host's network, because the controller serves its metrics on loopback, and listen on loopback alone.
"""

import json
from copy import deepcopy
from pathlib import PurePosixPath
from typing import Any

import yaml

from quench.grafana.alerts import JOB, rule_file
from quench.grafana.dashboard import dashboard

PROMETHEUS = "127.0.0.1:9090"
GRAFANA_PORT = 3000
PASSWORD = "GRAFANA_PASSWORD"  # noqa: S105 - the name of a variable
"""The variable of the environment with the password of Grafana's user admin. Without it nothing starts."""
SCRAPE = "5s"
IMAGES = {"prometheus": "prom/prometheus:v3.5.0", "grafana": "grafana/grafana:12.0.0"}
"""The images and versions; Grafana 10.4 or later reads the dashboard."""
_LIMITS = {
    "restart": "unless-stopped",
    "network_mode": "host",
    "read_only": True,
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges:true"],
    "logging": {"driver": "json-file", "options": {"max-size": "10m", "max-file": "3"}},
}
"""The limits of both containers."""
_LICENCE = "# SPDX-FileCopyrightText: 2026 The Quench Authors\n# SPDX-License-Identifier: Apache-2.0\n"


def files(metrics: str) -> dict[PurePosixPath, str]:
    """The files by their places in the folder; ``metrics`` is HOST:PORT of the controller's metrics."""
    written = {
        "compose.yaml": _yaml(_compose()),
        "prometheus/prometheus.yml": _yaml(_prometheus(metrics)),
        "prometheus/alerts.yml": _yaml(rule_file()),
        "grafana/provisioning/datasources/prometheus.yaml": _yaml(_datasource()),
        "grafana/provisioning/dashboards/quench.yaml": _yaml(_dashboards()),
        "grafana/dashboards/quench.json": json.dumps(dashboard(), indent=2) + "\n",
    }
    return {PurePosixPath(name): text for name, text in written.items()}


def _yaml(values: dict[str, Any]) -> str:
    return _LICENCE + yaml.safe_dump(values, sort_keys=False, width=1000)


def _compose() -> dict[str, Any]:
    prometheus = {
        "image": IMAGES["prometheus"],
        "command": [
            "--config.file=/etc/prometheus/prometheus.yml",
            "--storage.tsdb.path=/prometheus",
            "--storage.tsdb.retention.time=15d",
            "--storage.tsdb.retention.size=2GB",
            f"--web.listen-address={PROMETHEUS}",
        ],
        "volumes": ["./prometheus:/etc/prometheus:ro", "prometheus:/prometheus"],
        "mem_limit": "1g",
        **deepcopy(_LIMITS),
    }
    grafana = {
        "image": IMAGES["grafana"],
        "environment": {
            "GF_SERVER_HTTP_ADDR": "127.0.0.1",
            "GF_SERVER_HTTP_PORT": str(GRAFANA_PORT),
            "GF_SECURITY_ADMIN_PASSWORD": f"${{{PASSWORD}:?set {PASSWORD} to a password for Grafana's user admin}}",
            "GF_USERS_ALLOW_SIGN_UP": "false",
            "GF_ANALYTICS_REPORTING_ENABLED": "false",
            "GF_ANALYTICS_CHECK_FOR_UPDATES": "false",
            "GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES": "false",
        },
        "volumes": [
            "./grafana/provisioning:/etc/grafana/provisioning:ro",
            "./grafana/dashboards:/var/lib/quench:ro",
            "grafana:/var/lib/grafana",
        ],
        "tmpfs": ["/tmp"],  # noqa: S108 - of the container
        "depends_on": ["prometheus"],
        "mem_limit": "512m",
        **deepcopy(_LIMITS),
    }
    return {
        "name": "quench",
        "services": {"prometheus": prometheus, "grafana": grafana},
        "volumes": {"prometheus": {}, "grafana": {}},
    }


def _prometheus(metrics: str) -> dict[str, Any]:
    return {
        "global": {"scrape_interval": SCRAPE, "evaluation_interval": SCRAPE},
        "rule_files": ["alerts.yml"],
        "scrape_configs": [{"job_name": JOB, "static_configs": [{"targets": [metrics]}]}],
    }


def _datasource() -> dict[str, Any]:
    source = {
        "name": "Prometheus",
        "uid": "quench-prometheus",
        "type": "prometheus",
        "access": "proxy",
        "url": f"http://{PROMETHEUS}",
        "isDefault": True,
        # Rates over Grafana's $__rate_interval are over four of these.
        "jsonData": {"timeInterval": SCRAPE},
    }
    return {"apiVersion": 1, "datasources": [source]}


def _dashboards() -> dict[str, Any]:
    provider = {"name": "quench", "type": "file", "options": {"path": "/var/lib/quench"}}
    return {"apiVersion": 1, "providers": [provider]}
