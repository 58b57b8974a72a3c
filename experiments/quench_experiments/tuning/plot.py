# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of a setting: the delay margin over the gain (P3, figure 3), and where it is stable."""

import io
from dataclasses import replace
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from quench_experiments.tuning.analysis import Analysis, delay_margins
from quench_experiments.tuning.loop import delay_margin_s, sensitivity_gain

_INCHES = (12.0, 4.4)
_POINTS = 400
_GRID = 32
_RC: Any = {"svg.hashsalt": "quench", "svg.fonttype": "none", "font.size": 10, "axes.spines.top": False}


def picture(kind: str, found: Analysis, wq: float) -> bytes:
    """A picture (``svg`` or ``png``) of two panels."""
    drawn = io.BytesIO()
    with mpl.rc_context(_RC):
        figure = Figure(figsize=_INCHES, layout="constrained")
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2)
        _draw_margin(left, found)
        _draw_region(right, found, wq)
        metadata = {"Creator": "quench tune", "Date": None} if kind == "svg" else {}
        figure.savefig(drawn, format=kind, dpi=144, metadata=metadata)
    return drawn.getvalue()


def _draw_margin(axes: Axes, found: Analysis) -> None:
    """Filter, round trip and poles as they are, and only the gain changed."""
    loop = found.loop
    gains = np.geomspace(1.05, max(20.0, 3 * found.gain), _POINTS)
    approximate = [delay_margin_s(gain, loop.averaging_rad_s, loop.rtt_s) for gain in gains]
    whole = [replace(loop, gain=float(gain)).delay_margin_s for gain in gains]
    axes.plot(gains, approximate, color="#0072b2", linewidth=2.2, label="delay margin, P3's approximation")
    axes.plot(gains, whole, color="#d55e00", linewidth=1.8, label="delay margin, whole loop")
    axes.axhline(0, color="#000000", linewidth=0.8)
    axes.axvline(found.gain, color="#009e73", linestyle="--", label=f"this setting: K = {found.gain:.3g}")
    # The margin grows without limit where the gain comes near 1.
    shown = float(np.clip(approximate[_POINTS // 4], 4 * loop.rtt_s, 20 * loop.rtt_s))
    axes.set_ylim(-1.2 * loop.rtt_s, shown)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("gain K")
    axes.set_ylabel("delay margin, s")
    twin = axes.twinx()
    twin.plot(
        gains,
        [sensitivity_gain(float(gain), found.gain_ecn) for gain in gains],
        color="#999999",
        linestyle=":",
        label="(1+K)/(1+K0)",
    )
    twin.set_ylabel("sensitivity gain over ECN")
    twin.set_ylim(bottom=0)
    lines = [*axes.get_lines(), *twin.get_lines()]
    labelled = [line for line in lines if not str(line.get_label()).startswith("_")]
    axes.legend(handles=labelled, frameon=False, fontsize=8, loc="upper right")
    axes.set_title("Delay margin against gain", loc="left", fontsize=11, fontweight="bold")


def _draw_region(axes: Axes, found: Analysis, wq: float) -> None:
    load = found.load
    flows = np.geomspace(max(1.0, load.flows / 5), load.flows * 5, _GRID)
    rtts_s = np.geomspace(load.rtt_s / 5, load.rtt_s * 5, _GRID)
    margins = delay_margins(flows.tolist(), rtts_s.tolist(), load.capacity_pps, found.marking, wq)
    # 0: the queue runs over maxth; 1: it oscillates; 2: it settles.
    verdicts = np.where(np.isnan(margins), 0, np.where(margins > 0, 2, 1))
    colours = mpl.colors.ListedColormap(["#d9d9d9", "#f4c7a1", "#b7dfc9"])
    axes.pcolormesh(flows, 1000 * rtts_s, verdicts.T, cmap=colours, vmin=0, vmax=2, shading="nearest", rasterized=True)
    axes.plot([load.flows], [1000 * load.rtt_s], "o", color="#000000")
    for colour, label in (("#b7dfc9", "settles"), ("#f4c7a1", "oscillates"), ("#d9d9d9", "above maxth")):
        axes.fill_between([], [], color=colour, label=label)
    axes.legend(frameon=True, fontsize=8, loc="upper left")
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter("{x:g}")
    axes.tick_params(which="minor", labelsize=7)
    axes.set_xlabel("flows")
    axes.set_ylabel("round trip without queue, ms")
    axes.set_title("Where the setting is stable", loc="left", fontsize=11, fontweight="bold")
