// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The control flow of a pipeline: every node a block, actions in place.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::size_of;

use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{AliasRegion, Block, InstBuilder, Value as Ssa};
use cranelift_frontend::Switch;

use super::emit::{Call, Emitter};
use super::frame::{Frame, HIT_SHIFT, KEY_WORDS};
use super::memory::flags;
use crate::exec::program::{ControlNode, Pipeline, END};
use crate::tables::def::TableDef;
use crate::tables::entry::EntryAction;
use crate::tables::table::Table;

impl Emitter<'_, '_> {
    pub fn pipeline(&mut self, pipeline: &Pipeline) {
        let blocks: Vec<Block> = pipeline
            .nodes
            .iter()
            .map(|_| self.b.create_block())
            .collect();
        let end = self.end;
        let block = |node: u32| blocks.get(node as usize).copied().unwrap_or(end);
        self.b.ins().jump(block(pipeline.first), &[]);
        for (node, &start) in pipeline.nodes.iter().zip(&blocks) {
            self.b.switch_to_block(start);
            self.params = None;
            match *node {
                ControlNode::Branch(cond, yes, no) => self.branch(cond, block(yes), block(no)),
                ControlNode::Call(action, next) => self.action(action, block(next)),
                ControlNode::Table(table) => self.table(table, &block),
            }
        }
        self.b.switch_to_block(end);
        self.b.ins().return_(&[]);
    }

    fn table(&mut self, table: u32, block: &dyn Fn(u32) -> Block) {
        let program = self.program;
        let def = &program.tables[table as usize];
        if let Some(action) = self.only_action(table, def) {
            self.action(action, block(def.next.after(false, Some(action))));
        } else if self.packs(def) {
            self.keyed(table, def, block);
        } else {
            self.whole(table, def, block);
        }
    }

    /// The action of a table that always does the same, and counts nothing: p4c's way to write statements.
    fn only_action(&self, table: u32, def: &TableDef) -> Option<u32> {
        let constant = def.const_default_action || def.const_default_entry;
        match &self.tables.tables[table as usize].initial_default {
            Some(EntryAction::Direct(call))
                if constant
                    && def.key.is_empty()
                    && !def.direct_counter
                    && program_has_no_params(self, call.action) =>
            {
                Some(call.action)
            }
            _ => None,
        }
    }

    /// What a miss always leads to: an action without parameters that no one can replace.
    fn fixed_default(&self, table: u32, def: &TableDef) -> Option<u32> {
        match &self.tables.tables[table as usize].initial_default {
            Some(EntryAction::Direct(call))
                if def.const_default_action && program_has_no_params(self, call.action) =>
            {
                Some(call.action)
            }
            _ => None,
        }
    }

    /// Goes to what a miss leads to where the table has no entries.
    fn skip_if_empty(&mut self, table: u32, missed: Block) {
        let tables = self.frame_word(Frame::TABLES);
        let offset = table as usize * size_of::<Table>() + Table::ROWS;
        let flags = flags(AliasRegion::Vmctx);
        let rows = self.b.ins().load(I32, flags, tables, offset as i32);
        let some = self.b.create_block();
        self.b.ins().brif(rows, some, &[], missed, &[]);
        self.b.switch_to_block(some);
    }

    /// Whether the code can put the table's key together and knows all actions.
    fn packs(&self, def: &TableDef) -> bool {
        let narrow = def
            .key
            .iter()
            .all(|field| field.loc.bits <= 64 && field.loc.bits > 0);
        narrow && def.key_words <= KEY_WORDS && def.profile.is_none()
    }

    /// Leaves the table and its action to the interpreter.
    fn whole(&mut self, table: u32, def: &TableDef, block: &dyn Fn(u32) -> Block) {
        let number = self.number(table);
        let result = self.call(Call::Apply, &[number]);
        let stop = self.b.ins().ushr_imm(result, 32);
        self.stop_if(stop);
        let next = self.b.ins().ireduce(I32, result);
        let nodes: BTreeSet<u32> = def.next.all().filter(|&node| node != END).collect();
        let mut switch = Switch::new();
        for node in nodes {
            switch.set_entry(u128::from(node), block(node));
        }
        switch.emit(&mut self.b, next, self.end);
    }

    fn keyed(&mut self, table: u32, def: &TableDef, block: &dyn Fn(u32) -> Block) {
        let mut actions: BTreeSet<u32> = def.actions.iter().copied().collect();
        if let Some(EntryAction::Direct(call)) = &self.tables.tables[table as usize].initial_default
        {
            actions.insert(call.action);
        }
        let bodies: BTreeMap<u32, Block> = actions
            .into_iter()
            .map(|action| (action, self.b.create_block()))
            .collect();
        // Where hits and misses decide, all actions meet again to be told apart by that.
        let decided = match (def.next.hit, def.next.miss) {
            (Some(yes), Some(no)) => Some((self.b.create_block(), block(yes), block(no))),
            _ => None,
        };
        let after = |action: Option<u32>| match decided {
            Some((decide, ..)) => decide,
            None => block(def.next.after(false, action)),
        };

        let number = self.number(table);
        let result = if def.key.is_empty() || def.counts_hits() {
            self.pack(def);
            self.call(Call::Lookup, &[number])
        } else {
            let default = self.fixed_default(table, def);
            if let (Some(action), None) = (default, decided) {
                self.skip_if_empty(table, bodies[&action]);
            }
            self.pack(def);
            let words = self.number(def.key_words as u32);
            self.call(Call::Find, &[number, words])
        };
        let hit = self.b.ins().ushr_imm(result, i64::from(HIT_SHIFT));
        let action = self.b.ins().ireduce(I32, result);
        let mut switch = Switch::new();
        for (&action, &body) in &bodies {
            switch.set_entry(u128::from(action), body);
        }
        // What is no action of the table is none at all.
        switch.emit(&mut self.b, action, after(None));
        for (&action, &body) in &bodies {
            self.b.switch_to_block(body);
            self.take_params(self.program.actions[action as usize].data_bytes as u32);
            self.action(action, after(Some(action)));
        }
        if let Some((decide, yes, no)) = decided {
            self.b.switch_to_block(decide);
            self.b.ins().brif(hit, yes, &[], no, &[]);
        }
    }

    /// Puts the words of the key into the frame, as `tables::pack` does.
    fn pack(&mut self, def: &TableDef) {
        let phv = self.phv;
        let mut words: Vec<Option<Ssa>> = vec![None; def.key_words];
        for field in &def.key {
            let mut value = self.read_u64(phv, field.loc);
            if let Some(mask) = &field.mask {
                let mask = mask
                    .iter()
                    .fold(0u64, |word, &byte| word << 8 | u64::from(byte));
                value = self.b.ins().band_imm(value, mask as i64);
            }
            self.put(&mut words, field.at, field.nbytes(), value);
        }
        let frame = self.frame;
        for (at, word) in words.into_iter().enumerate() {
            let word = word.unwrap_or_else(|| self.b.ins().iconst(I64, 0));
            let offset = Frame::KEY + at as i32 * 8;
            self.b
                .ins()
                .store(flags(AliasRegion::Vmctx), word, frame, offset);
        }
    }

    /// As `exec::parser::put`: the low `nbytes` of a number at byte `at` of a key in big-endian words.
    pub fn put(&mut self, words: &mut [Option<Ssa>], at: u32, nbytes: u32, value: Ssa) {
        let end = at + nbytes;
        let (last, used) = ((end - 1) / 8, (end - 1) % 8 + 1);
        let part = self.b.ins().ishl_imm(value, i64::from(64 - 8 * used));
        self.join(&mut words[last as usize], part);
        if used < nbytes {
            let part = self.b.ins().ushr_imm(value, i64::from(8 * used));
            self.join(&mut words[last as usize - 1], part);
        }
    }

    pub fn join(&mut self, word: &mut Option<Ssa>, part: Ssa) {
        *word = Some(match *word {
            Some(before) => self.b.ins().bor(before, part),
            None => part,
        });
    }
}

fn program_has_no_params(emitter: &Emitter<'_, '_>, action: u32) -> bool {
    emitter.program.actions[action as usize].params.is_empty()
}
