# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One device: its running pipeline, a saved one that waits for COMMIT, and the rules for changing them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from quench_switch._native import VirtualSwitch
from quench_switch.fair_lock import FairLock
from quench_switch.messages import p4r

from .digest_stream import DigestStreams
from .entities import Entities
from .errors import Code, RequestError, invalid, not_found
from .limits import STATE_BYTES
from .pipeline import Pipeline
from .verify import verify

if TYPE_CHECKING:
    from quench_switch._native import RealtimeSwitch

_log = logging.getLogger(__name__)

NAME_CHARACTERS = 64
"""The longest name of a program in the log."""

Config = p4r.SetForwardingPipelineConfigRequest
Get = p4r.GetForwardingPipelineConfigRequest


class Device:
    """The forwarding state behind one ``device_id``."""

    def __init__(self, switch: RealtimeSwitch, cpu_port: int | None, state_bytes: int = STATE_BYTES) -> None:
        self.switch = switch
        self.state_bytes = state_bytes
        """The most memory of the state that clients write."""
        self.lock = FairLock()
        """Held, shortly, by what reads or changes the forwarding state."""
        self._cpu_port = cpu_port
        self._running: Entities | None = None
        self._saved: Entities | None = None
        self._unnamed: Pipeline | None = None
        """The pipeline of a program that was given at start without P4Info."""
        self.digests: DigestStreams | None = None

    @property
    def running(self) -> Entities | None:
        """The running pipeline, which packets pass."""
        return self._running

    def entities(self) -> Entities:
        """The pipeline of Read and Write: the saved one if one waits for COMMIT, else the running one."""
        target = self._saved or self._running
        if target is None:
            raise RequestError(Code.FAILED_PRECONDITION, "no forwarding pipeline config is set")
        return target

    def set_config(self, request: p4r.SetForwardingPipelineConfigRequest, check_primary: Callable[[], None]) -> None:
        """SetForwardingPipelineConfig, on the thread that writes. A config that is refused changes nothing.

        Long work delays no reader: a new program is read and rehearsed beside the running one.
        """
        check_primary()
        if request.action == Config.COMMIT:
            self._commit(request)
            return
        if request.action not in (
            Config.VERIFY,
            Config.VERIFY_AND_SAVE,
            Config.VERIFY_AND_COMMIT,
            Config.RECONCILE_AND_COMMIT,
        ):
            raise invalid(f"action {request.action} is not one of SetForwardingPipelineConfig's")
        if not request.HasField("config"):
            raise invalid("the request has no config")
        pipeline = verify(request.config, self._cpu_port, interpreted=request.action == Config.VERIFY)
        # Another controller may have become the primary meanwhile.
        check_primary()
        if request.action == Config.VERIFY_AND_SAVE:
            saved = self._scratch(pipeline)
            with self.lock:
                self._saved = saved
        elif request.action == Config.VERIFY_AND_COMMIT:
            self._load(pipeline)
        elif request.action == Config.RECONCILE_AND_COMMIT:
            self._reconcile(pipeline)

    def load(self, config: p4r.ForwardingPipelineConfig) -> None:
        """Run a config that was given at start, before any controller. Its P4Info may be empty."""
        pipeline = verify(config, self._cpu_port)
        if not config.p4info.ByteSize():
            self._unnamed = pipeline
        self._load(pipeline)

    def restart(self) -> None:
        """Run the program from its beginning, without what was written to it. The caller holds the lock."""
        if self._running is not None:
            self._run(self._running.pipeline)

    def _scratch(self, pipeline: Pipeline) -> Entities:
        """The pipeline on a data plane of its own, through which no packet ever goes."""
        switch = VirtualSwitch(cpu_port=self._cpu_port, interpreted=True)
        switch.load(pipeline.program)
        return Entities(pipeline, switch, self.state_bytes)

    def _load(self, pipeline: Pipeline, state: Entities | None = None) -> None:
        """Run a pipeline from its beginning, or from a state that was rehearsed."""
        with self.lock:
            running = self._run(pipeline)
            if state is not None:
                running.restore(state)
        if pipeline is self._unnamed:
            _log.info("pipeline loaded, without P4Info")
            return
        name = pipeline.p4info.pkg_info.name[:NAME_CHARACTERS]
        counts = len(pipeline.tables), len(pipeline.actions)
        _log.info("pipeline %s: %d tables, %d actions", name or "loaded", *counts, extra={"is_limited": True})

    def _run(self, pipeline: Pipeline) -> Entities:
        self.switch.load(pipeline.program)
        running = Entities(pipeline, self.switch, self.state_bytes)
        self._running = running
        self._saved = None
        self.digests = DigestStreams(running.state)
        return running

    def _commit(self, request: p4r.SetForwardingPipelineConfigRequest) -> None:
        if request.HasField("config"):
            raise invalid("COMMIT takes no config")
        if self._saved is None:
            raise not_found("no saved config: VERIFY_AND_SAVE comes before COMMIT")
        self._load(self._saved.pipeline, self._saved)

    def _reconcile(self, pipeline: Pipeline) -> None:
        running = self._running
        if running is None:
            self._load(pipeline)
            return
        old, new = running.pipeline.config, pipeline.config
        if old.p4_device_config == new.p4_device_config and old.p4info == new.p4info:
            with self.lock:
                running.use(pipeline)
                self._saved = None
            return
        scratch = self._scratch(pipeline)
        try:
            scratch.restore(running)
        except RequestError as error:
            raise invalid(f"the forwarding state does not fit the new config: {error.message}") from error
        self._load(pipeline, scratch)

    def get_config(self, response_type: int) -> p4r.GetForwardingPipelineConfigResponse:
        """The running config, as much of it as asked for; empty if there is none.

        For a program without P4Info, clients would take an empty P4Info for the program's own; as PI does, they get
        FAILED_PRECONDITION, after which they set a config.
        """
        response = p4r.GetForwardingPipelineConfigResponse()
        if self._running is None:
            return response
        if self._running.pipeline is self._unnamed:
            problem = "the program that runs was given at start without P4Info: no forwarding pipeline config is set"
            raise RequestError(Code.FAILED_PRECONDITION, problem)
        stored = self._running.pipeline.config
        response.config.SetInParent()
        if stored.HasField("cookie"):
            response.config.cookie.CopyFrom(stored.cookie)
        if response_type in (Get.ALL, Get.P4INFO_AND_COOKIE):
            response.config.p4info.CopyFrom(stored.p4info)
        if response_type in (Get.ALL, Get.DEVICE_CONFIG_AND_COOKIE):
            response.config.p4_device_config = stored.p4_device_config
        return response
