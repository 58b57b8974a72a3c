// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The stacks of a scenario: a transport by its name, and its settings. Only this module knows all transports.

use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::dcqcn::DcqcnConfig;
use crate::error::{read, Error};
use crate::fixed_window::{FixedWindow, FixedWindowConfig};
use crate::paced::{BecnConfig, BoltConfig, DctcpConfig, HpccConfig, SwiftConfig};
use crate::tcp::{TcpConfig, TcpStack};
use crate::transport::Transport;

/// The transport of a stack that names none.
const DEFAULT: &str = "tcp";

/// One entry of a scenario's `stacks`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "transport", rename_all = "kebab-case")]
pub enum StackConfig {
    Tcp(TcpConfig),
    FixedWindow(FixedWindowConfig),
    Bolt(BoltConfig),
    Hpcc(HpccConfig),
    Swift(SwiftConfig),
    Dctcp(DctcpConfig),
    Becn(BecnConfig),
    Dcqcn(DcqcnConfig),
}

impl StackConfig {
    fn of(mut fields: Map<String, Value>) -> Result<Self, Error> {
        let name = fields.remove("transport").unwrap_or(DEFAULT.into());
        let fields = Value::Object(fields);
        match name.as_str() {
            Some("tcp") => read(fields).map(Self::Tcp),
            Some("fixed-window") => read(fields).map(Self::FixedWindow),
            Some("bolt") => read(fields).map(Self::Bolt),
            Some("hpcc") => read(fields).map(Self::Hpcc),
            Some("swift") => read(fields).map(Self::Swift),
            Some("dctcp") => read(fields).map(Self::Dctcp),
            Some("becn") => read(fields).map(Self::Becn),
            Some("dcqcn") => read(fields).map(Self::Dcqcn),
            _ => {
                let known = "tcp, fixed-window, bolt, hpcc, swift, dctcp, becn, dcqcn";
                let problem = format!("there is no {name}, only {known}");
                Err(Error::at("transport", problem))
            }
        }
    }

    /// Checks the settings.
    pub fn build(&self) -> Result<Arc<dyn Transport>, Error> {
        Ok(match self {
            Self::Tcp(config) => Arc::new(TcpStack::new(config)?),
            Self::FixedWindow(config) => Arc::new(FixedWindow::new(config)?),
            Self::Bolt(config) => config.build()?,
            Self::Hpcc(config) => config.build()?,
            Self::Swift(config) => config.build()?,
            Self::Dctcp(config) => config.build()?,
            Self::Becn(config) => config.build()?,
            Self::Dcqcn(config) => config.build()?,
        })
    }
}

impl<'de> Deserialize<'de> for StackConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::of(Map::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// The transport of a stack by itself, from its JSON.
pub fn from_json(json: &str) -> Result<Arc<dyn Transport>, Error> {
    let fields = read(&mut serde_json::Deserializer::from_str(json))?;
    StackConfig::of(fields)?.build()
}

/// Checks a stack by itself, as JSON.
pub fn check(json: &str) -> Result<(), Error> {
    from_json(json).map(drop)
}
