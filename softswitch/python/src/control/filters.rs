// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Low-pass filters.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quench_dataplane::control::{Change, FilterConfig, LpfConfig, LpfKind};

use super::PyControl;
use crate::number::Num;

type ConfigTuple = (&'static str, f64, f64, u32);

#[pymethods]
impl PyControl {
    /// (kind, time constant of rises in ns, of falls, bits of the scale); `None` where it was never set, and of a `Wred`.
    fn filter_config(
        &self,
        py: Python<'_>,
        filter_: &str,
        index: Num<u64>,
    ) -> PyResult<Option<ConfigTuple>> {
        let config = self
            .target
            .try_look(py, |switch, _| switch.filter_config(filter_, index.0))?;
        Ok(match config {
            Some(FilterConfig::Lpf(config)) => Some((
                match config.kind {
                    LpfKind::Sample => "sample",
                    LpfKind::Rate => "rate",
                },
                config.gain_time_constant_ns,
                config.decay_time_constant_ns,
                config.out_scale_down_factor,
            )),
            Some(FilterConfig::Wred(_)) | None => None,
        })
    }

    #[allow(clippy::too_many_arguments)] // The fields that BF-Runtime has.
    fn set_filter_config(
        &self,
        py: Python<'_>,
        filter_: String,
        index: Num<u64>,
        kind: &str,
        gain_ns: f64,
        decay_ns: f64,
        out_scale: Num<u32>,
    ) -> PyResult<()> {
        let kind = match kind {
            "sample" => LpfKind::Sample,
            "rate" => LpfKind::Rate,
            _ => return Err(PyValueError::new_err("kind is neither sample nor rate")),
        };
        let config = FilterConfig::Lpf(LpfConfig {
            kind,
            gain_time_constant_ns: gain_ns,
            decay_time_constant_ns: decay_ns,
            out_scale_down_factor: out_scale.0,
        });
        let cells = index.0..index.0.saturating_add(1);
        self.target
            .write(py, Change::FilterWrite(filter_, cells, Some(config)))
    }
}
