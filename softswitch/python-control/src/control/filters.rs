// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Low-pass filters and random drops.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use quench_dataplane::control::{Change, FilterConfig, LpfConfig, LpfKind, WredConfig};

use super::externs::range;
use super::PyControl;
use crate::convert::{key, Key, Py_};
use crate::number::Num;

/// The settings of a cell, `None` where they are those of the beginning.
type Setting = Option<Py_<FilterConfig>>;

impl<'a, 'py> FromPyObject<'a, 'py> for Py_<FilterConfig> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let tuple = object.cast::<PyTuple>()?;
        let tag: String = tuple.get_item(0)?.extract()?;
        let lpf = |kind| {
            type Fields = (String, f64, f64, Num<u32>);
            let (_, gain, decay, scale): Fields = tuple.extract()?;
            Ok::<_, PyErr>(FilterConfig::Lpf(LpfConfig {
                kind,
                gain_time_constant_ns: gain,
                decay_time_constant_ns: decay,
                out_scale_down_factor: scale.0,
            }))
        };
        Ok(Self(match tag.as_str() {
            "sample" => lpf(LpfKind::Sample)?,
            "rate" => lpf(LpfKind::Rate)?,
            "wred" => {
                type Fields = (String, f64, Num<u32>, Num<u32>, f64);
                let (_, time_constant_ns, min, max, max_probability): Fields = tuple.extract()?;
                FilterConfig::Wred(WredConfig {
                    time_constant_ns,
                    min_thresh: min.0,
                    max_thresh: max.0,
                    max_probability,
                })
            }
            _ => {
                return Err(PyValueError::new_err(format!(
                    "not a filter's settings: {object:?}"
                )))
            }
        }))
    }
}

impl<'py> IntoPyObject<'py> for Py_<FilterConfig> {
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        match self.0 {
            FilterConfig::Lpf(lpf) => {
                let tag = match lpf.kind {
                    LpfKind::Sample => "sample",
                    LpfKind::Rate => "rate",
                };
                let (gain, decay) = (lpf.gain_time_constant_ns, lpf.decay_time_constant_ns);
                (tag, gain, decay, lpf.out_scale_down_factor).into_pyobject(py)
            }
            FilterConfig::Wred(wred) => (
                "wred",
                wred.time_constant_ns,
                wred.min_thresh,
                wred.max_thresh,
                wred.max_probability,
            )
                .into_pyobject(py),
        }
    }
}

fn config(setting: Setting) -> Option<FilterConfig> {
    setting.map(|setting| setting.0)
}

#[pymethods]
impl PyControl {
    fn filter_config(&self, py: Python<'_>, filter_: &str, index: Num<u64>) -> PyResult<Setting> {
        let config = self
            .target
            .try_look(py, |switch, _| switch.filter_config(filter_, index.0))?;
        Ok(config.map(Py_))
    }

    fn filter_value(&self, py: Python<'_>, filter_: &str, index: Num<u64>) -> PyResult<u32> {
        self.target
            .try_look(py, |switch, _| switch.filter_value(filter_, index.0))
    }

    #[pyo3(signature = (filter_, index, setting))]
    fn set_filter_config(
        &self,
        py: Python<'_>,
        filter_: String,
        index: Num<u64>,
        setting: Setting,
    ) -> PyResult<()> {
        self.filter_fill(py, filter_, index, Num(1), setting)
    }

    #[pyo3(signature = (filter_, first, count, setting))]
    fn filter_fill(
        &self,
        py: Python<'_>,
        filter_: String,
        first: Num<u64>,
        count: Num<u64>,
        setting: Setting,
    ) -> PyResult<()> {
        let cells = range(first.0, count.0);
        self.target
            .write(py, Change::FilterWrite(filter_, cells, config(setting)))
    }

    fn direct_filter_config(
        &self,
        py: Python<'_>,
        filter_: &str,
        key: Key,
        priority: Num<i32>,
    ) -> PyResult<Setting> {
        let key = self::key(key);
        let config = self.target.try_look(py, |switch, _| {
            switch.direct_filter_config(filter_, &key, priority.0)
        })?;
        Ok(config.map(Py_))
    }

    #[pyo3(signature = (filter_, key, priority, setting))]
    fn set_direct_filter_config(
        &self,
        py: Python<'_>,
        filter_: String,
        key: Key,
        priority: Num<i32>,
        setting: Setting,
    ) -> PyResult<()> {
        let key = self::key(key);
        let change = Change::DirectFilterWrite(filter_, key, priority.0, config(setting));
        self.target.write(py, change)
    }
}
