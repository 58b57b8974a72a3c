// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Checks of the values of a source, for all kinds of sources.

use super::distribution::Distribution;
use super::ids::{NodeId, StackId};

/// The simulation's clock counts nanoseconds.
const LEAST_S: f64 = 1e-9;

/// A wrong value of a source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("source \"{source_name}\": {field}: {problem}")]
pub struct SourceError {
    pub source_name: String,
    pub field: &'static str,
    pub problem: String,
}

/// The scenario's names.
pub trait Names {
    fn host(&self, name: &str) -> Option<NodeId>;
    fn stack(&self, name: &str) -> Option<StackId>;
    /// The rate of the link out of a host at the beginning; none: it has no limit, or there is no such host.
    fn link_rate_bps(&self, host: &str) -> Option<f64>;
}

/// Checks of one source's values.
pub(super) struct Check<'a> {
    pub source: &'a str,
    pub names: &'a dyn Names,
}

impl Check<'_> {
    pub fn error(&self, field: &'static str, problem: String) -> SourceError {
        SourceError {
            source_name: self.source.to_owned(),
            field,
            problem,
        }
    }

    pub fn host(&self, field: &'static str, name: &str) -> Result<NodeId, SourceError> {
        self.names
            .host(name)
            .ok_or_else(|| self.error(field, format!("there is no host \"{name}\"")))
    }

    pub fn hosts(&self, field: &'static str, names: &[String]) -> Result<Vec<NodeId>, SourceError> {
        if names.is_empty() {
            return Err(self.error(field, "at least one host is needed".to_owned()));
        }
        names.iter().map(|name| self.host(field, name)).collect()
    }

    /// Two hosts, which must differ.
    pub fn ends(&self, from: &str, to: &str) -> Result<(NodeId, NodeId), SourceError> {
        let ends = (self.host("from", from)?, self.host("to", to)?);
        if ends.0 == ends.1 {
            return Err(self.error("to", format!("must be another host than from (\"{from}\")")));
        }
        Ok(ends)
    }

    pub fn stack(&self, name: &str) -> Result<StackId, SourceError> {
        self.names
            .stack(name)
            .ok_or_else(|| self.error("stack", format!("there is no stack \"{name}\"")))
    }

    pub fn not_negative(&self, field: &'static str, value: f64) -> Result<(), SourceError> {
        if value.is_finite() && value >= 0.0 {
            return Ok(());
        }
        Err(self.error(field, format!("must be 0 or more, not {value}")))
    }

    pub fn positive(&self, field: &'static str, value: f64) -> Result<(), SourceError> {
        if value.is_finite() && value > 0.0 {
            return Ok(());
        }
        Err(self.error(field, format!("must be greater than 0, not {value}")))
    }

    /// A time that the clock can tell from none.
    pub fn lasting_s(&self, field: &'static str, seconds: f64) -> Result<(), SourceError> {
        self.positive(field, seconds)?;
        if seconds >= LEAST_S {
            return Ok(());
        }
        let problem = format!("must be {LEAST_S:e} seconds or more, not {seconds:e}");
        Err(self.error(field, problem))
    }

    pub fn at_least(&self, field: &'static str, value: u64, least: u64) -> Result<(), SourceError> {
        if value >= least {
            return Ok(());
        }
        Err(self.error(field, format!("must be {least} or more, not {value}")))
    }

    pub fn distribution(
        &self,
        field: &'static str,
        value: &Distribution,
    ) -> Result<(), SourceError> {
        value.check().map_err(|problem| self.error(field, problem))
    }

    /// As [`Check::distribution`], for times that last.
    pub fn lasting(&self, field: &'static str, value: &Distribution) -> Result<(), SourceError> {
        self.distribution(field, value)?;
        self.lasting_s(field, value.mean())
    }

    /// The time at which a source stops, if any, which must be after its start.
    pub fn stop(&self, start_s: f64, stop_s: Option<f64>) -> Result<(), SourceError> {
        match stop_s {
            Some(stop) if !(stop.is_finite() && stop > start_s) => Err(self.error(
                "stop_s",
                format!("must be later than start_s ({start_s}), not {stop}"),
            )),
            _ => Ok(()),
        }
    }

    /// The DSCP and ECN fields of datagrams.
    pub fn traffic_class(&self, dscp: u8, ecn: u8) -> Result<(), SourceError> {
        if dscp > 63 {
            return Err(self.error("dscp", format!("must be 0..63, not {dscp}")));
        }
        if ecn > 3 {
            return Err(self.error("ecn", format!("must be 0..3, not {ecn}")));
        }
        Ok(())
    }
}
