# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""p4src/quench.p4, on v1model: as ``make p4`` builds it for the embedded switch, and without what BMv2 lacks."""

import finsy as fy

from quench.client.entries import CPU_CLONE_SESSION
from quench.client.pipelines.pipeline import Found, Pipeline
from quench.config.fields import MAX_PORT
from quench.config.model import TnaConfig
from quench.profiles import Curve, ProfileSettings, compile_profile
from quench.profiles.compile import CurveRow, Parameters, ProfileRows
from quench.profiles.decompile import curve_of_rows
from quench.profiles.formats import AVERAGE_KEY_MAX, AVERAGE_ONE_PKT
from quench.profiles.recover import settings_of

DEPTH_PARAMETER = "depth_per_byte"
"""The parameter that a build has with QUENCH_EXTENDED alone."""


class _V1Model(Pipeline[ProfileRows]):
    arch = "v1model"
    cpu_port = MAX_PORT
    queue_profile = "QuenchIngress.profile.queue_profile"
    parameter_tables = ("QuenchIngress.profile.profile_parameters",)
    curve_tables = ("QuenchIngress.arrival_decision.curve", "QuenchEgress.departure_decision.curve")
    parameters_type = Parameters
    curve_row_type = CurveRow
    average_key_max = AVERAGE_KEY_MAX
    average_register = "queue_average"
    average_one_pkt = AVERAGE_ONE_PKT
    depth_register = "queue_depth"

    def compile(self, settings: ProfileSettings, rate_bps: int, *, isq_in_dataplane: bool = False) -> ProfileRows:
        return compile_profile(settings, rate_bps, isq_in_dataplane=isq_in_dataplane)

    def sessions(
        self,
        cpu_port: int | None = None,
        options: TnaConfig | None = None,  # noqa: ARG002 - for Tofino
    ) -> list[fy.P4CloneSessionEntry]:
        return [fy.P4CloneSessionEntry(CPU_CLONE_SESSION, replicas=[cpu_port or self.cpu_port])]

    def settings(self, found: Found, rate_bps: int) -> ProfileSettings:
        return settings_of(found.parameters, found.curve, rate_bps)

    def curve(self, found: Found) -> Curve:
        return curve_of_rows(found.curve)


class _Plain(_V1Model):
    """The program without QUENCH_EXTENDED."""

    absent_parameters = frozenset({DEPTH_PARAMETER})

    def compile(self, settings: ProfileSettings, rate_bps: int, *, isq_in_dataplane: bool = False) -> ProfileRows:
        rows = super().compile(settings, rate_bps, isq_in_dataplane=isq_in_dataplane)
        if rows.parameters.depth_per_byte:
            raise ValueError(
                "depth now: the switch's program does not know the bytes that wait, and BMv2 cannot: leave it out, or "
                "compile quench.p4 with -D QUENCH_EXTENDED for the embedded switch"
            )
        return rows


V1MODEL = _V1Model()
PLAIN_V1MODEL = _Plain()
