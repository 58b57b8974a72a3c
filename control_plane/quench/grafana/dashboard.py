# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The dashboard in Grafana's JSON model (schema version 39, Grafana 10.4 or later)."""

from collections.abc import Iterator
from typing import Any

from quench.grafana.names import metric_names, named
from quench.grafana.panels import ROWS, Panel

SCHEMA_VERSION = 39
UID = "quench"
WIDTH = 24
"""The width of a dashboard, in units of its grid."""
_HEIGHTS = {"stat": 4, "timeseries": 8}
_FILTERS = {"[switches]": '{switch=~"$switch"}', "[ports]": '{switch=~"$switch", port=~"$port"}'}
_SOURCE = {"type": "prometheus", "uid": "${datasource}"}


def dashboard() -> dict[str, Any]:
    """The dashboard, for ``Dashboards > New > Import`` or for a provisioned folder."""
    names = metric_names()
    return {
        "uid": UID,
        "title": "Quench",
        "description": "Queues, marks, drops and source quenches of the switches of a Quench controller.",
        "tags": ["quench"],
        "schemaVersion": SCHEMA_VERSION,
        "editable": True,
        "refresh": "5s",
        "time": {"from": "now-15m", "to": "now"},
        "timezone": "browser",
        # The cursor's moment is marked in all panels.
        "graphTooltip": 1,
        "templating": {"list": [_datasource(), *_variables(names)]},
        "panels": list(_panels(names)),
    }


def _datasource() -> dict[str, Any]:
    return {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus", "refresh": 1}


def _variables(names: dict[str, str]) -> Iterator[dict[str, Any]]:
    seen, connected = names["port_seen"], names["connected"]
    for name, query in (
        ("switch", f"label_values({connected}, switch)"),
        ("port", f'label_values({seen}{{switch=~"$switch"}}, port)'),
    ):
        yield {
            "name": name,
            "label": name.capitalize(),
            "type": "query",
            "datasource": _SOURCE,
            "definition": query,
            "query": {"query": query, "refId": "StandardVariableQuery"},
            "refresh": 2,
            "sort": 3,
            "multi": True,
            "includeAll": True,
            "allValue": ".*",
            "current": {"selected": True, "text": ["All"], "value": ["$__all"]},
        }


def _panels(names: dict[str, str]) -> Iterator[dict[str, Any]]:
    number, top = 1, 0
    for title, panels in ROWS.items():
        place = {"h": 1, "w": WIDTH, "x": 0, "y": top}
        yield {"id": number, "type": "row", "title": title, "collapsed": False, "panels": [], "gridPos": place}
        number, top = number + 1, top + 1
        in_line = len(panels) if len(panels) <= 3 else 2
        width, height = WIDTH // in_line, max(_HEIGHTS[panel.kind] for panel in panels)
        for index, panel in enumerate(panels):
            line, column = divmod(index, in_line)
            place = {"h": height, "w": width, "x": column * width, "y": top + line * height}
            yield _panel(panel, number, place, names)
            number += 1
        top += -(-len(panels) // in_line) * height


def _panel(panel: Panel, number: int, place: dict[str, int], names: dict[str, str]) -> dict[str, Any]:
    targets = [
        {
            "refId": chr(ord("A") + index),
            "datasource": _SOURCE,
            "expr": _expression(query.expression, names),
            "legendFormat": query.legend,
            "instant": panel.kind == "stat",
            "range": panel.kind != "stat",
        }
        for index, query in enumerate(panel.queries)
    ]
    return {
        "id": number,
        "type": panel.kind,
        "title": panel.title,
        "description": panel.description,
        "datasource": _SOURCE,
        "gridPos": place,
        "targets": targets,
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "options": _options(panel),
    }


def _options(panel: Panel) -> dict[str, Any]:
    if panel.kind == "stat":
        return {
            "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
            "textMode": "value_and_name",
            "colorMode": "none",
        }
    return {
        "legend": {"displayMode": "table", "placement": "bottom", "calcs": ["lastNotNull", "max"]},
        "tooltip": {"mode": "multi", "sort": "desc"},
    }


def _expression(text: str, names: dict[str, str]) -> str:
    """The query with the metrics' names and the viewer's choice."""
    found = named(text, names)
    for placeholder, choice in _FILTERS.items():
        found = found.replace(placeholder, choice)
    return found
