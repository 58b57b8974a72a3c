// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The means by which a table finds an entry, made without the table.

use super::identities::identity;
use super::key::Packed;
use super::ternary::Row;
use crate::model::values::MatchField;
use crate::program::table::{Algorithm, TableDef};

#[derive(Debug, Clone)]
pub struct Place {
    /// The hash of key and priority.
    pub identity: u64,
    pub by: By,
}

#[derive(Debug, Clone)]
pub enum By {
    Packed(Packed),
    /// While it is not the table's. It keeps its age there.
    Row(Option<Row>),
}

impl Place {
    /// The place of a canonical key.
    pub fn new(def: &TableDef, key: &[MatchField], priority: i32) -> Self {
        let packed = Packed::of(def, key);
        let by = match def.algorithm {
            Algorithm::Ternary => By::Row(Some(Row::new(packed.ternary(), priority))),
            Algorithm::Exact | Algorithm::Lpm(_) => By::Packed(packed),
        };
        Self {
            identity: identity(key, priority),
            by,
        }
    }
}
