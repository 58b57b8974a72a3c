// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The sources of a scenario, and the applications made of them.

use std::cell::RefCell;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::app::App;
use super::check::{Check, Names, SourceError};
use super::files::Files;
use super::ftp::Ftp;
use super::ids::{NodeId, StackId};
use super::incast::Incast;
use super::messages::Messages;
use super::on_off::{Cbr, OnOff};
use super::voip::Voip;
use super::web::Web;
use crate::error::{read, Error};

/// One entry of a scenario's `sources`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SourceConfig {
    Ftp(Ftp),
    Files(Files),
    Web(Web),
    Cbr(Cbr),
    OnOff(OnOff),
    Voip(Voip),
    Messages(Messages),
    Incast(Incast),
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
            Self::Messages($config) => $value,
            Self::Incast($config) => $value,
        }
    };
}

impl SourceConfig {
    fn of(mut fields: Map<String, Value>) -> Result<Self, Error> {
        let kind = fields.remove("kind").unwrap_or_default();
        let fields = Value::Object(fields);
        match kind.as_str() {
            Some("ftp") => read(fields).map(Self::Ftp),
            Some("files") => read(fields).map(Self::Files),
            Some("web") => read(fields).map(Self::Web),
            Some("cbr") => read(fields).map(Self::Cbr),
            Some("on_off") => read(fields).map(Self::OnOff),
            Some("voip") => read(fields).map(Self::Voip),
            Some("messages") => read(fields).map(Self::Messages),
            Some("incast") => read(fields).map(Self::Incast),
            _ => {
                let known = "ftp, files, web, cbr, on_off, voip, messages or incast";
                let problem = format!("must be {known}, not {kind}");
                Err(Error::at("kind", problem))
            }
        }
    }

    pub fn name(&self) -> &str {
        for_each_kind!(self, config => &config.name)
    }

    /// Sources of one group are summed up together.
    pub fn group(&self) -> Option<&str> {
        for_each_kind!(self, config => config.group.as_deref())
    }

    /// The time at which the application is started.
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

impl<'de> Deserialize<'de> for SourceConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::of(Map::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Every name is one of a host, and of a stack. All links have one rate.
#[derive(Default)]
struct AnyNames(RefCell<Vec<String>>);

impl Names for AnyNames {
    fn host(&self, name: &str) -> Option<NodeId> {
        let mut known = self.0.borrow_mut();
        let place = known.iter().position(|each| each == name);
        Some(NodeId(place.unwrap_or_else(|| {
            known.push(name.to_owned());
            known.len() - 1
        })))
    }

    fn stack(&self, _name: &str) -> Option<StackId> {
        Some(StackId(0))
    }

    fn link_rate_bps(&self, _host: &str) -> Option<f64> {
        Some(1e9)
    }
}

/// Checks a source by itself, as JSON: all but the names of hosts and stacks, and the rates of links.
pub fn check(json: &str) -> Result<(), Error> {
    let fields = read(&mut serde_json::Deserializer::from_str(json))?;
    let built = SourceConfig::of(fields)?.build(&AnyNames::default());
    built
        .map(drop)
        .map_err(|error| Error::at(error.field, error.problem))
}
