// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Deparsers.

use super::expr::Locals;
use super::json;
use super::limits::{self, Total};
use super::loader::Loader;
use crate::model::load_error::{fail, LoadResult, Within};
use crate::program::Deparser;

impl Loader<'_> {
    pub fn load_deparsers(&mut self) -> LoadResult<Vec<Deparser>> {
        let deparsers = self.deparsers()?.into_iter();
        (0..)
            .zip(deparsers)
            .map(|(number, deparser)| {
                self.load_deparser(number, deparser)
                    .within(|| format!("deparser '{}'", deparser.name))
            })
            .collect()
    }

    fn load_deparser(&mut self, number: u32, deparser: &json::Deparser) -> LoadResult<Deparser> {
        let (ops, work) = self.primitives(&deparser.primitives, Locals::None)?;
        let emitted = Total::of(limits::EMITTED_BYTES);
        let order = deparser.order.iter().map(|name| {
            let id = self.headers.names.header(name)?;
            let def = &self.headers.layout.headers[id as usize];
            if def.metadata {
                return fail(format!("'{name}' is metadata and cannot be emitted"));
            }
            let var = def.var.map_or(0, |var| var.max_bytes);
            emitted.take(u64::from(def.fixed_bytes) + u64::from(var))?;
            Ok(id)
        });
        Ok(Deparser {
            name: deparser.name.clone(),
            number,
            order: order.collect::<LoadResult<_>>()?,
            ops,
            work,
        })
    }
}
