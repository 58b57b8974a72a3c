// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The sources of a scenario, and the applications made of them.

use serde::{Deserialize, Serialize};

use super::app::App;
use super::check::{Check, Names, SourceError};
use super::files::Files;
use super::ftp::Ftp;
use super::on_off::{Cbr, OnOff};
use super::voip::Voip;
use super::web::Web;

/// One entry of a scenario's `sources`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SourceConfig {
    Ftp(Ftp),
    Files(Files),
    Web(Web),
    Cbr(Cbr),
    OnOff(OnOff),
    Voip(Voip),
}

/// The same expression for each kind of source.
macro_rules! for_each_kind {
    ($source:expr, $config:ident => $value:expr) => {
        match $source {
            Self::Ftp($config) => $value,
            Self::Files($config) => $value,
            Self::Web($config) => $value,
            Self::Cbr($config) => $value,
            Self::OnOff($config) => $value,
            Self::Voip($config) => $value,
        }
    };
}

impl SourceConfig {
    pub fn name(&self) -> &str {
        for_each_kind!(self, config => &config.name)
    }

    /// Sources of one group are summed up together.
    pub fn group(&self) -> Option<&str> {
        for_each_kind!(self, config => config.group.as_deref())
    }

    /// When the application is started.
    pub fn start_s(&self) -> f64 {
        for_each_kind!(self, config => config.start_s)
    }

    /// The application, after all values were checked.
    pub fn build(&self, names: &dyn Names) -> Result<Box<dyn App>, SourceError> {
        let check = Check {
            source: self.name(),
            names,
        };
        check.not_negative("start_s", self.start_s())?;
        for_each_kind!(self, config => config.build(&check))
    }
}
