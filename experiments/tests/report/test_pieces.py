# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Pieces of the report: numbers, time series, the comparison with ns-2."""

import dataclasses
import json
from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from matplotlib.figure import Figure
from quench.report.still import svg
from quench_experiments.definition import NS2, CurveData, FigureData, QuotedPoint
from quench_experiments.definition.model import FigureModel
from quench_experiments.errors import ExperimentError, SimulationError
from quench_experiments.report.comparison import KERNEL_TITLES, read_comparisons
from quench_experiments.report.draw import draw, draw_all, read_series
from quench_experiments.report.numbers import as_given, number, with_spread
from quench_experiments.simulation.picture import SPANS

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0716, "0.0716"),
        (1.172, "1.172"),
        (43.214, "43.21"),
        (40238.4, "40 238"),
        (0, "0"),
        (-5.5, "-5.500"),
        (float("nan"), "-"),
    ],
)
def test_numbers_have_the_digits_that_count(value: float, shown: str) -> None:
    assert number(value).replace("\N{NO-BREAK SPACE}", " ") == shown


@pytest.mark.parametrize(("value", "shown"), [(4.6, "4.6"), (3, "3"), (31392, "31 392"), (0.07, "0.07")])
def test_quoted_numbers_stay_as_they_were_quoted(value: float, shown: str) -> None:
    assert as_given(value).replace("\N{NO-BREAK SPACE}", " ") == shown


def test_a_value_has_the_decimals_of_its_spread() -> None:
    assert with_spread(1.17234, 0.0421, "%") == "1.172 ± 0.042 %"
    assert with_spread(40204.3, 84.2).replace("\N{NO-BREAK SPACE}", " ") == "40 204 ± 84"
    assert with_spread(1.0, None, "s") == "1.000 s"
    assert with_spread(5.0, 0.0) == "5.000 ± 0"
    assert with_spread(0.44194, 7.7e-17) == "0.442 ± 0"
    assert with_spread(None, 0.1) == "-"
    assert with_spread(float("inf"), None) == "-"


def write_series(folder: Path) -> dict[str, Path]:
    columns = {
        "series": ["bottleneck.ab.queue_pkts"] * 3 + ["other"] + ["bottleneck.ab.average_pkts"] * 2,
        "time_s": [0.0, 1.0, 2.0, 1.0, 0.0, 2.0],
        "value": [5.0, 7.0, 6.0, 99.0, 5.0, 5.5],
    }
    pq.write_table(pa.table(columns), folder / "series.parquet")
    return {"series.parquet": folder / "series.parquet"}


def test_a_series_is_read_by_its_name(tmp_path: Path) -> None:
    tables = write_series(tmp_path)
    series = read_series(tables, "bottleneck.ab.queue_pkts")
    assert series is not None
    assert (list(series.time_s), list(series.value)) == ([0, 1, 2], [5, 7, 6])
    assert read_series(tables, "nothing") is None
    assert read_series({}, "bottleneck.ab.queue_pkts") is None


@pytest.mark.parametrize(
    "columns",
    [
        {"series": ["a.ab.q"], "time_s": [0.0]},
        {"series": ["a.ab.q"], "time_s": [0.0], "value": ["much"]},
        {"series": [1], "time_s": [0.0], "value": [2.0]},
    ],
)
def test_a_forged_file_is_one_line(tmp_path: Path, columns: dict[str, list[object]]) -> None:
    path = tmp_path / "series.parquet"
    pq.write_table(pa.table(columns), path)
    with pytest.raises(SimulationError, match="no table of a simulation") as caught:
        read_series({path.name: path}, "a.ab.q")
    assert "\n" not in str(caught.value)


def figure(*curves: CurveData, **model: object) -> FigureData:
    values = {"name": "f", "title": "F", "x": "n", "y": "goodput", **model}
    return FigureData(FigureModel.model_validate(values), "flows", "goodput", curves)


def words(drawn: Figure | None) -> list[str]:
    assert drawn is not None
    picture = ElementTree.fromstring(svg(drawn))
    return ["".join(each.itertext()) for each in picture.iter(f"{SVG}text")]


def test_a_figure_over_time_draws_the_runs_series(tmp_path: Path) -> None:
    curve = CurveData("ecn", run_id="P/ecn/seed=1", series="bottleneck.ab.queue_pkts")
    over_time = figure(curve, kind="time", x=None, y="bottleneck.ab.queue_pkts")
    found = words(draw(over_time, {"P/ecn/seed=1": write_series(tmp_path)}))
    assert "ecn" in found
    assert "2.0" in found or "2.00" in found
    assert draw(over_time, {}) is None
    gone = dataclasses.replace(curve, series="nothing")
    assert draw(dataclasses.replace(over_time, curves=(gone,)), {"P/ecn/seed=1": write_series(tmp_path)}) is None


def test_a_long_queue_is_its_range_and_its_mean(tmp_path: Path) -> None:
    points = 20 * SPANS
    columns = {
        "series": ["bottleneck.ab.queue_pkts"] * points,
        "time_s": [0.01 * each for each in range(points)],
        "value": [10.0 * (each % 2) for each in range(points)],
    }
    path = tmp_path / "series.parquet"
    pq.write_table(pa.table(columns), path)
    curve = CurveData("ecn", run_id="one", series="bottleneck.ab.queue_pkts")
    drawn = draw(figure(curve, kind="time", x=None, y="bottleneck.ab.queue_pkts"), {"one": {path.name: path}})
    assert {"ecn, range", "ecn, mean"} <= set(words(drawn))
    assert drawn is not None
    (axes,) = drawn.axes
    assert {len(line.get_xdata()) for line in axes.lines} == {SPANS}  # type: ignore[arg-type]
    assert set(axes.lines[0].get_ydata()) == {5.0}  # type: ignore[arg-type]


def test_figures_that_are_compared_have_equal_axes(tmp_path: Path) -> None:
    def queue(values: list[float], run: str) -> tuple[FigureData, dict[str, dict[str, Path]]]:
        folder = tmp_path / run
        folder.mkdir()
        columns = {"series": ["s.queue_pkts"] * len(values), "time_s": [*range(len(values))], "value": values}
        pq.write_table(pa.table({**columns, "time_s": [float(each) for each in columns["time_s"]]}), folder / "x")
        curve = CurveData("", run_id=run, series="s.queue_pkts")
        return figure(curve, kind="time", x=None, y="s.queue_pkts"), {run: {"series.parquet": folder / "x"}}

    found = [queue([0.0, 50.0, 20.0], "one"), queue([0.0, 90.0], "two")]
    tables = {run: files for _, table in found for run, files in table.items()}
    long, short = draw_all([each for each, _ in found], tables)
    assert long is not None
    assert short is not None
    assert long.axes[0].get_ylim() == short.axes[0].get_ylim()
    assert long.axes[0].get_xlim() == short.axes[0].get_xlim() == (0, 2)
    # A queue of a tenth would be a line along the axis.
    tiny, more = queue([0.0, 5.0], "three")
    tables |= more
    first, last = draw_all([found[1][0], tiny], tables)
    assert first is not None
    assert last is not None
    assert first.axes[0].get_ylim() != last.axes[0].get_ylim()


def test_a_queue_over_time_has_its_average_and_its_thresholds(tmp_path: Path) -> None:
    tables = {name: write_series(tmp_path) for name in ("one", "two")}
    curve = CurveData(
        "",
        run_id="one",
        series="bottleneck.ab.queue_pkts",
        average="bottleneck.ab.average_pkts",
        levels=(("minth 3KB", 3.0), ("maxth 90KB", 90.0)),
    )
    alone = words(draw(figure(curve, kind="time", x=None, y="bottleneck.ab.queue_pkts"), tables))
    assert {"queue", "average", "minth 3KB"} <= set(alone)
    # Far above the queue: the axis does not grow for it.
    assert "maxth 90KB" not in alone
    both = [dataclasses.replace(curve, label=name, run_id=run) for name, run in (("ecn", "one"), ("becn", "two"))]
    found = words(draw(figure(*both, kind="time", x=None, y="bottleneck.ab.queue_pkts"), tables))
    assert {"ecn", "ecn, average", "becn", "becn, average"} <= set(found)
    assert found.count("minth 3KB") == 1


def test_quoted_points_of_several_curves_are_named_once() -> None:
    quoted = QuotedPoint("P1, quoted", 2, 4.0), QuotedPoint(NS2, 2, 5.0, 0.5)
    curves = [CurveData(name, (1, 2), (1.0, 2.0), (None, 0.1), quoted=quoted) for name in ("ecn", "becn")]
    found = words(draw(figure(*curves), {}))
    assert [found.count(each) for each in ("ecn", "becn", "P1, quoted", NS2)] == [1, 1, 1, 1]


def test_single_points_are_bars() -> None:
    curves = [
        CurveData("ecn", (45,), (1.25,), (0.1,), quoted=(QuotedPoint("P1, quoted", 45, 1.19),)),
        CurveData("becn", (45,), (1.0,), (None,), quoted=(QuotedPoint(NS2, 45, 0.9, 0.1),)),
    ]
    found = words(draw(figure(*curves), {}))
    assert {"ecn", "becn", "ours", "P1, quoted", NS2, "flows: 45", "1.250", "goodput"} <= set(found)
    over = draw(figure(dataclasses.replace(curves[0], x=(45, 46), y=(1.0, 2.0), half_width=(None, None))), {})
    assert "ours" not in words(over)


def test_named_points_stand_in_a_row() -> None:
    curve = CurveData("", ("red", "ecn", "becn"), (1.0, 2.0, 3.0), (None, 0.1, 0.1))
    found = words(draw(figure(curve), {}))
    places = [found.index(name) for name in ("red", "ecn", "becn")]
    assert places == sorted(places)


def test_an_axis_begins_at_0_unless_that_hides_what_differs() -> None:
    near = CurveData("", (1, 2, 3), (10.0, 50.0, 100.0), (None, None, None))
    far = dataclasses.replace(near, y=(97.0, 98.5, 100.0))
    assert words(draw(figure(near), {})).count("0") == 1
    assert "0" not in words(draw(figure(far), {}))


def test_a_figure_without_curves_is_not_drawn() -> None:
    assert draw(figure(), {}) is None


def agreement(metric: str, theirs: float, ours: float, within: bool) -> dict[str, object]:
    return {"metric": metric, "theirs": theirs, "ours": ours, "within": within}


def test_the_comparison_with_ns2_is_taken_over(tmp_path: Path) -> None:
    assert read_comparisons(tmp_path) == []
    cases = [
        {"key": "a", "within": True, "agreements": [agreement("loss", 0.0117, 0.0121, True)]},
        {"key": "b", "within": False, "agreements": [agreement("marked_pkts", 4237, 5000, False)]},
    ]
    (tmp_path / "ns2.json").write_text(json.dumps({"seeds": [1, 2, 3], "cases": cases}))
    (comparison,) = read_comparisons(tmp_path)
    assert "3 seeds each: 1 of 2 cases agree" in comparison.about
    assert comparison.rows[0] == ["a", "", "1.170, 1.210 %", "", "", "", "yes"]
    assert comparison.rows[1][5].replace("\N{NO-BREAK SPACE}", " ") == "4 237, 5 000 ✗"
    (tmp_path / "ns2.json").write_text("{}")
    with pytest.raises(ExperimentError, match=r"ns2\.json: it cannot be read"):
        read_comparisons(tmp_path)


def test_the_comparison_with_the_kernel_is_taken_over(tmp_path: Path) -> None:
    kernel = dict.fromkeys(KERNEL_TITLES, 0.5)
    simulated = [dict.fromkeys(KERNEL_TITLES, value) for value in (0.25, 0.5)]
    case = {"scheme": "ecn", "flows": 8, "kernel": kernel, "simulated": simulated}
    (tmp_path / "kernel.json").write_text(json.dumps([case]))
    (comparison,) = read_comparisons(tmp_path)
    assert comparison.rows == [["ecn", "8", "0.500, 0.375", *["50.00, 37.50 %"] * 2, *["0.500, 0.375"] * 3]]
    (tmp_path / "kernel.json").write_text(json.dumps([{**case, "simulated": []}]))
    with pytest.raises(ExperimentError, match=r"kernel\.json: it cannot be read"):
        read_comparisons(tmp_path)
