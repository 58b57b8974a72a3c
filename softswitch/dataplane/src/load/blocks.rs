// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The parts that an architecture asks of a program: its blocks by their names, and the metadata that both share.

use super::json;
use super::loader::Loader;
use crate::arch::Declared;
use crate::model::load_error::{fail, LoadResult};
use crate::program::Op;
use crate::state::slot::Slot;

/// Blocks by their names.
fn found<'a, B>(
    names: &[&str],
    all: &'a [B],
    what: &str,
    name_of: fn(&B) -> &String,
) -> LoadResult<Vec<&'a B>> {
    let of = |name: &&str| {
        let block = all.iter().find(|&block| name_of(block) == name);
        block.map_or_else(|| fail(format!("there is no {what} called '{name}'")), Ok)
    };
    names.iter().map(of).collect()
}

impl<'a> Loader<'a> {
    /// The blocks that the architecture names, in its order.
    pub fn parsers(&self) -> LoadResult<Vec<&'a json::Parser>> {
        let all = &self.root.parsers;
        found(self.kind.blocks().parsers, all, "parser", |block| {
            &block.name
        })
    }

    pub fn pipelines(&self) -> LoadResult<Vec<&'a json::Pipeline>> {
        let all = &self.root.pipelines;
        found(self.kind.blocks().pipelines, all, "pipeline", |block| {
            &block.name
        })
    }

    pub fn deparsers(&self) -> LoadResult<Vec<&'a json::Deparser>> {
        let all = &self.root.deparsers;
        found(self.kind.blocks().deparsers, all, "deparser", |block| {
            &block.name
        })
    }
}

impl Declared for Loader<'_> {
    fn asks_entry(&self) -> bool {
        let mut ops = self.actions.iter().flat_map(|action| &action.ops);
        ops.any(|op| matches!(op, Op::Enqueued(_)))
    }

    fn drops_on_error(&self, parser: usize) -> LoadResult<bool> {
        Ok(self.parsers()?[parser].drop_on_error)
    }

    fn shared(&self, header: &str, field: &str) -> Option<(Slot, bool)> {
        let (id, index) = self.headers.place(header, field).ok()?;
        let header = &self.headers.layout.headers[id as usize];
        let index = index.filter(|_| header.metadata)?;
        if self.headers.layout.header_type(id).fields[index].is_var {
            return None;
        }
        let named = self.headers.named.borrow();
        let is_named = [None, Some(index)]
            .iter()
            .any(|part| named.contains(&(id, *part)));
        Some((Slot::of(header.fields[index])?, is_named))
    }
}
