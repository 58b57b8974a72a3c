# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The controller: an agent for each switch, the socket for the command line, the metrics endpoint."""

import asyncio
import logging
from dataclasses import asdict
from typing import Any

import finsy as fy
from prometheus_client import start_http_server
from pydantic import BaseModel, ConfigDict, ValidationError

from quench.config.model import Config, IsqMode, MeterConfig
from quench.profiles import parse_settings
from quench.service.agent import RequestError, SwitchAgent
from quench.service.metrics import Metrics
from quench.service.port_metrics import PortMetrics
from quench.service.protocol import ControlServer
from quench.units import parse_rate_bps

LOGGER = logging.getLogger(__name__)


class IsqRequest(BaseModel):
    """What ``isq.set`` may change; what is not given stays."""

    model_config = ConfigDict(extra="forbid")

    switch: str | None = None
    mode: IsqMode | None = None
    per_queue: MeterConfig | None = None
    """None, said so: no limit."""


class Controller:
    """Runs until cancelled."""

    def __init__(self, config: Config) -> None:
        self.metrics = Metrics()
        self.agents = {switch.name: SwitchAgent(config, switch, self.metrics) for switch in config.switches}
        self._config = config
        self._server = ControlServer(
            config.socket,
            {
                "ping": self._ping,
                "thresholds.show": self._thresholds_show,
                "thresholds.set": self._thresholds_set,
                "isq.show": self._isq_show,
                "isq.set": self._isq_set,
                "reports": self._reports,
                "stats": self._stats,
            },
            (RequestError, ValidationError, ValueError, fy.P4ClientError),
        )

    async def run(self) -> None:
        """Serve all switches. Raises ControllerError or OSError when a socket or port is taken."""
        count_lost_packets(self.metrics)
        await self._server.start()
        metrics_server = None
        try:
            if self._config.metrics:
                PortMetrics(list(self.agents.values()), asyncio.get_running_loop()).register(self.metrics.registry)
                host, _, port = self._config.metrics.rpartition(":")
                metrics_server, _ = start_http_server(int(port), host, registry=self.metrics.registry)
                LOGGER.info("metrics on http://%s/metrics", self._config.metrics)
            LOGGER.info("listening on %s", self._config.socket)
            async with asyncio.TaskGroup() as tasks:
                for agent in self.agents.values():
                    tasks.create_task(agent.run(), name=agent.name)
        finally:
            if metrics_server is not None:
                metrics_server.shutdown()
            await self._server.stop()

    def _agent(self, params: dict[str, Any]) -> SwitchAgent:
        name = params.get("switch")
        agent = self.agents.get(str(name))
        if agent is None:
            raise RequestError(f"there is no switch {name!r}: the configuration has {', '.join(self.agents)}")
        return agent

    async def _ping(self, _: dict[str, Any]) -> dict[str, bool]:
        return {name: agent.ready for name, agent in self.agents.items()}

    def _agents(self, params: dict[str, Any]) -> list[SwitchAgent]:
        """One switch, or all of them."""
        return [self._agent(params)] if params.get("switch") else list(self.agents.values())

    async def _thresholds_show(self, params: dict[str, Any]) -> list[dict[str, Any]]:
        return [row for agent in self._agents(params) for row in agent.thresholds()]

    async def _thresholds_set(self, params: dict[str, Any]) -> dict[str, Any]:
        agent = self._agent(params)
        settings = parse_settings(params.get("settings", {}))
        rate = parse_rate_bps(params["rate"]) if params.get("rate") is not None else None
        profile_id = await agent.set_profile(int(params["port"]), settings, rate, params.get("queue"))
        return {"profile": profile_id, "settings": settings.model_dump(mode="json")}

    async def _isq_show(self, params: dict[str, Any]) -> list[dict[str, Any]]:
        return [agent.isq() for agent in self._agents(params)]

    async def _isq_set(self, params: dict[str, Any]) -> list[dict[str, Any]]:
        request = IsqRequest.model_validate(params)
        agents = self._agents(params)
        # All or none: a switch that cannot be changed is found before another one is.
        for agent in agents:
            agent.check_connected()
        for agent in agents:
            await agent.set_isq(request.mode, request.per_queue, change_limit="per_queue" in request.model_fields_set)
        return [agent.isq() for agent in agents]

    async def _reports(self, params: dict[str, Any]) -> list[dict[str, Any]]:
        agent = self._agent(params)
        since_us = int(params.get("since_us", 0))
        return [asdict(report) for report in agent.reports if report.time_us > since_us]

    async def _stats(self, params: dict[str, Any]) -> list[dict[str, Any]]:
        return [await agent.stats() for agent in self._agents(params)]


def count_lost_packets(metrics: Metrics) -> None:
    """Count the packet-ins that finsy drops: it only logs them, each with its whole contents."""

    def count(record: logging.LogRecord) -> bool:
        if isinstance(record.msg, str) and "packet ignored" in record.msg:
            metrics.packet_ins_lost.inc()
            return False
        return True

    logging.getLogger("finsy").addFilter(count)
