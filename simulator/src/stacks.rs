// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The stacks of a scenario: a transport by its name, and its settings. Only this module knows all transports.

use std::sync::Arc;

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::fixed_window::{FixedWindow, FixedWindowConfig};
use crate::tcp::{TcpConfig, TcpStack};
use crate::transport::settings::SettingsError;
use crate::transport::Transport;

/// The transport of a stack that names none.
const DEFAULT: &str = "tcp";

/// One entry of a scenario's `stacks`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "transport", rename_all = "kebab-case")]
pub enum StackConfig {
    Tcp(TcpConfig),
    FixedWindow(FixedWindowConfig),
}

impl StackConfig {
    /// Checks the settings.
    pub fn build(&self) -> Result<Arc<dyn Transport>, SettingsError> {
        Ok(match self {
            Self::Tcp(config) => Arc::new(TcpStack::new(config)?),
            Self::FixedWindow(config) => Arc::new(FixedWindow::new(config)?),
        })
    }
}

impl<'de> Deserialize<'de> for StackConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Map::deserialize(deserializer)?;
        let transport = fields.remove("transport");
        match transport.as_ref().map_or(Some(DEFAULT), Value::as_str) {
            Some("tcp") => settings(fields).map(Self::Tcp),
            Some("fixed-window") => settings(fields).map(Self::FixedWindow),
            _ => {
                let name = transport.unwrap_or_default();
                let problem = format!("transport: there is no {name}, only tcp and fixed-window");
                Err(D::Error::custom(problem))
            }
        }
    }
}

/// The settings of one transport. The error names the field.
fn settings<T: DeserializeOwned, E: Error>(fields: Map<String, Value>) -> Result<T, E> {
    serde_path_to_error::deserialize(Value::Object(fields)).map_err(|error| {
        let inner = error.inner();
        match error.path().to_string() {
            path if path == "." => E::custom(inner),
            path => E::custom(format!("{path}: {inner}")),
        }
    })
}
