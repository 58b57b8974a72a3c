# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The controller: an agent for each switch, the socket for the command line, the metrics endpoint."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import finsy as fy

from quench.client.session import SessionError
from quench.config.model import Config
from quench.feed.model import HISTORY_S, Changed
from quench.service.agent import SwitchAgent
from quench.service.answers import ProfileAnswer
from quench.service.control_server import ControlServer, Encoded
from quench.service.live_feed import LiveFeed
from quench.service.managed_queues import RequestError
from quench.service.metrics import Metrics
from quench.service.port_metrics import PortMetrics
from quench.service.requests import (
    MAX_REPORTS,
    Feed,
    FeedChange,
    FeedFlows,
    IsqSet,
    IsqShow,
    OfSwitches,
    Ping,
    Reports,
    Stats,
    ThresholdsSet,
    ThresholdsShow,
)

LOGGER = logging.getLogger(__name__)


class Controller:
    """Runs until cancelled."""

    def __init__(self, config: Config) -> None:
        self.metrics = Metrics()
        self.agents = {
            switch.name: SwitchAgent(config, switch, self.metrics, self._changed) for switch in config.switches
        }
        network: Any = None if config.network is None else config.network.model_dump(mode="json")
        self.feed = LiveFeed(
            list(self.agents.values()), f"controller at {config.socket}", config.history or HISTORY_S, network
        )
        self._config = config
        self._server = ControlServer(
            config.socket,
            {
                Ping: self._ping,
                ThresholdsShow: self._thresholds_show,
                ThresholdsSet: self._thresholds_set,
                IsqShow: self._isq_show,
                IsqSet: self._isq_set,
                Reports: self._reports,
                Stats: self._stats,
                Feed: self._feed,
                FeedChange: self._feed_change,
                FeedFlows: self._feed_flows,
            },
            (RequestError, SessionError, fy.P4ClientError),
        )

    async def run(self) -> None:
        """Serve all switches. Raises ControllerError when a socket or port is taken."""
        await self._server.start()
        metrics_server = None
        try:
            if self._config.metrics:
                # Here, because few controllers have an endpoint, and its web server takes a while to import.
                from quench.service.metrics_server import MetricsServer

                PortMetrics(list(self.agents.values()), asyncio.get_running_loop()).register(self.metrics.registry)
                metrics_server = MetricsServer(self._config.metrics, self.metrics.registry)
                LOGGER.info("metrics on http://%s/metrics", self._config.metrics)
            LOGGER.info("listening on %s", self._config.socket)
            self.feed.hub.record()
            async with asyncio.TaskGroup() as tasks:
                for agent in self.agents.values():
                    tasks.create_task(agent.run(), name=agent.name)
        finally:
            if metrics_server is not None:
                await metrics_server.stop()
            await self.feed.close()
            await self._server.stop()

    def _agent(self, name: str) -> SwitchAgent:
        agent = self.agents.get(name)
        if agent is None:
            raise RequestError(f"there is no switch {name!r}: the configuration has {', '.join(self.agents)}")
        return agent

    def _agents(self, request: OfSwitches) -> Sequence[SwitchAgent]:
        """One switch, or all of them."""
        return list(self.agents.values()) if request.switch is None else [self._agent(request.switch)]

    async def _ping(self, _: Ping) -> dict[str, bool]:
        return {name: agent.ready for name, agent in self.agents.items()}

    async def _thresholds_show(self, request: ThresholdsShow) -> list[dict[str, Any]]:
        return [row for agent in self._agents(request) for row in agent.queues.thresholds()]

    async def _thresholds_set(self, request: ThresholdsSet) -> ProfileAnswer:
        return await self._agent(request.switch).queues.set_profile(request)

    async def _isq_show(self, request: IsqShow) -> list[dict[str, Any]]:
        return [agent.isq() for agent in self._agents(request)]

    async def _isq_set(self, request: IsqSet) -> list[dict[str, Any]]:
        agents = self._agents(request)
        # All or none: a switch that cannot be changed is found before another one is.
        for agent in agents:
            agent.queues.check_connected()
        for agent in agents:
            await agent.queues.set_isq(
                request.mode, request.per_queue, change_limit="per_queue" in request.model_fields_set
            )
        return [agent.isq() for agent in agents]

    async def _reports(self, request: Reports) -> list[dict[str, Any]]:
        packet_ins = self._agent(request.switch).packet_ins
        if request.after is None:
            return [asdict(report) for report in packet_ins.newest_reports()]
        return [asdict(report) for report in packet_ins.reports_after(request.after, MAX_REPORTS)]

    async def _stats(self, request: Stats) -> list[dict[str, Any]]:
        return [await agent.stats() for agent in self._agents(request)]

    def _changed(self) -> None:
        self.feed.look_for_changes()

    async def _feed(self, request: Feed) -> Encoded:
        return Encoded(await self.feed.answer(request.epoch, request.number, request.wait_s))

    async def _feed_change(self, request: FeedChange) -> Changed:
        return await self._agent(request.switch).queues.change(request)

    async def _feed_flows(self, request: FeedFlows) -> dict[str, bool]:
        self.feed.take_flows(request.reporter, request.hosts, request.flows)
        return {"watched": self.feed.watched}
