// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The control flow of a pipeline: every node a block, actions in place.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::size_of;

use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{AliasRegion, Block, InstBuilder, Value as Ssa};
use cranelift_frontend::Switch;

use super::buffer::flags;
use super::emit::Emitter;
use super::frame::{Frame, KEY_WORDS};
use super::helpers::{Call, HIT_SHIFT, NO_ENTRY, STOP_SHIFT};
use crate::model::ids::END;
use crate::program::table::{Algorithm, TableDef};
use crate::program::{ControlNode, Pipeline};
use crate::tables::bound::Bound;
use crate::tables::entry::EntryAction;
use crate::tables::table::Table;

/// The blocks that run a table's actions.
pub struct Bodies<'d> {
    pub def: &'d TableDef,
    /// By whether an entry was hit, where that decides what follows, and by action.
    blocks: BTreeMap<(bool, u32), Block>,
}

impl<'d> Bodies<'d> {
    fn new(def: &'d TableDef) -> Self {
        let blocks = BTreeMap::new();
        Self { def, blocks }
    }

    fn decides(&self) -> bool {
        self.def.next.hit.is_some()
    }
}

impl<'a> Emitter<'a, '_> {
    pub fn pipeline(&mut self, pipeline: &Pipeline) {
        let blocks: Vec<Block> = pipeline
            .nodes
            .iter()
            .map(|_| self.b.create_block())
            .collect();
        let end = self.end;
        let block = |node: u32| blocks.get(node as usize).copied().unwrap_or(end);
        self.b.ins().jump(block(pipeline.first), &[]);
        for (at, (node, &start)) in pipeline.nodes.iter().zip(&blocks).enumerate() {
            self.b.switch_to_block(start);
            self.params = None;
            if let Some(&work) = pipeline.work.get(at) {
                let work = self.number(work);
                let stop = self.call(Call::Pay, &[work]);
                self.stop_if(stop);
            }
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
                    && def.entry_index.is_none()
                    && program_has_no_params(self, call.action) =>
            {
                Some(call.action)
            }
            _ => None,
        }
    }

    /// The action of every miss in a table whose default action cannot be replaced.
    pub fn fixed_default(&self, table: u32, def: &TableDef) -> Option<&'a Bound> {
        match &self.tables.tables[table as usize].initial_default {
            Some(EntryAction::Direct(call)) if def.const_default_action => Some(call),
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
        let stop = self.b.ins().ushr_imm(result, i64::from(STOP_SHIFT));
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
        let mut bodies = Bodies::new(def);
        if def.key.is_empty() {
            self.choose(table, NO_ENTRY, &mut bodies, block);
        } else if let Some(rows) = self.constant_rows(table, def) {
            self.const_table(table, &rows, &mut bodies, block);
        } else {
            self.find(table, &mut bodies, block);
        }
        for (&(hit, action), &body) in &bodies.blocks {
            self.b.switch_to_block(body);
            self.take_params(self.program.actions[action as usize].data_bytes as u32);
            self.action(action, block(def.next.after(hit, Some(action))));
        }
    }

    /// Looks the packet up among the entries that the table has by then.
    fn find(&mut self, table: u32, bodies: &mut Bodies<'_>, block: &dyn Fn(u32) -> Block) {
        let def = bodies.def;
        if !def.notes_hits() {
            if let Some(call) = self.fixed_default(table, def) {
                let missed = self.b.create_block();
                self.skip_if_empty(table, missed);
                let some = self.b.current_block().expect("a block is being filled");
                self.b.switch_to_block(missed);
                self.perform(call, false, bodies);
                self.b.switch_to_block(some);
            }
        }
        let (words, _) = self.pack(def);
        let result = match (&*words, def.algorithm) {
            _ if def.notes_hits() => self.find_words(Call::Lookup, table, &words),
            (&[key], Algorithm::Exact) => self.find_word(Call::FindExact, table, key),
            (&[key], Algorithm::Lpm(_)) => self.find_word(Call::FindLpm, table, key),
            _ => self.find_words(Call::Find, table, &words),
        };
        if !bodies.decides() {
            return self.dispatch(table, result, false, bodies, block);
        }
        let (hit, missed) = (self.b.create_block(), self.b.create_block());
        let is_hit = self.b.ins().ushr_imm(result, i64::from(HIT_SHIFT));
        self.b.ins().brif(is_hit, hit, &[], missed, &[]);
        for (start, is_hit) in [(hit, true), (missed, false)] {
            self.b.switch_to_block(start);
            self.dispatch(table, result, is_hit, bodies, block);
        }
    }

    fn find_word(&mut self, call: Call, table: u32, key: Ssa) -> Ssa {
        let tables = self.frame_word(Frame::TABLES);
        let offset = table as usize * size_of::<Table>();
        let table = self.b.ins().iadd_imm(tables, offset as i64);
        self.call(call, &[table, key])
    }

    fn find_words(&mut self, call: Call, table: u32, words: &[Ssa]) -> Ssa {
        let frame = self.frame;
        for (at, &word) in words.iter().enumerate() {
            let offset = Frame::KEY + at as i32 * 8;
            let flags = flags(AliasRegion::Vmctx);
            self.b.ins().store(flags, word, frame, offset);
        }
        let table = self.number(table);
        let words = self.number(words.len() as u32);
        self.call(call, &[table, words])
    }

    /// Notes a hit of an entry, or a miss, then goes to the action.
    pub fn choose(
        &mut self,
        table: u32,
        entry: u32,
        bodies: &mut Bodies<'_>,
        block: &dyn Fn(u32) -> Block,
    ) {
        let (number, slot) = (self.number(table), self.number(entry));
        let result = self.call(Call::Choose, &[number, slot]);
        self.dispatch(table, result, entry != NO_ENTRY, bodies, block);
    }

    /// Goes to the action that a lookup gave, or on where it gave none.
    fn dispatch(
        &mut self,
        table: u32,
        result: Ssa,
        hit: bool,
        bodies: &mut Bodies<'_>,
        block: &dyn Fn(u32) -> Block,
    ) {
        let def = bodies.def;
        let mut actions: BTreeSet<u32> = def.actions.iter().copied().collect();
        let default = &self.tables.tables[table as usize].initial_default;
        if let Some(EntryAction::Direct(call)) = default {
            actions.insert(call.action);
        }
        let action = self.b.ins().ireduce(I32, result);
        let mut switch = Switch::new();
        for action in actions {
            switch.set_entry(u128::from(action), self.body(hit, action, bodies));
        }
        // Any other number is no action.
        switch.emit(&mut self.b, action, block(def.next.after(hit, None)));
    }

    /// The block that runs an action with the parameters in the frame.
    fn body(&mut self, hit: bool, action: u32, bodies: &mut Bodies<'_>) -> Block {
        let key = (hit && bodies.decides(), action);
        let blocks = &mut bodies.blocks;
        *blocks.entry(key).or_insert_with(|| self.b.create_block())
    }

    /// Goes to an action whose parameters stay where they are.
    pub fn perform(&mut self, call: &Bound, hit: bool, bodies: &mut Bodies<'_>) {
        if !call.data.is_empty() {
            let frame = self.frame;
            let start = call.data.as_ptr().expose_provenance();
            let start = self.b.ins().iconst(I64, start as i64);
            let bytes = self.b.ins().iconst(I64, call.data.len() as i64);
            for (value, offset) in [(start, Frame::PARAMS), (bytes, Frame::PARAMS_BYTES)] {
                let flags = flags(AliasRegion::Vmctx);
                self.b.ins().store(flags, value, frame, offset);
            }
        }
        let body = self.body(hit, call.action, bodies);
        self.b.ins().jump(body, &[]);
    }

    /// The words of the packed key, as `tables::pack` makes them, and the values of its fields.
    pub fn pack(&mut self, def: &TableDef) -> (Vec<Ssa>, Vec<Ssa>) {
        let phv = self.phv;
        let mut words: Vec<Option<Ssa>> = vec![None; def.key_words];
        let mut values = Vec::new();
        for field in &def.key {
            let mut value = self.read_u64(phv, field.loc);
            if let Some(mask) = &field.mask {
                let mask = mask
                    .iter()
                    .fold(0u64, |word, &byte| word << 8 | u64::from(byte));
                value = self.b.ins().band_imm(value, mask as i64);
            }
            values.push(value);
            self.put(&mut words, field.at, field.nbytes(), value);
        }
        let words = words.into_iter();
        let words = words.map(|word| word.unwrap_or_else(|| self.b.ins().iconst(I64, 0)));
        (words.collect(), values)
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
