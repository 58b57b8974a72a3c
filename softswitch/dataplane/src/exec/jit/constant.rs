// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables whose entries the program itself gives for good: every row becomes comparisons with constants.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value as Ssa};

use super::emit::Emitter;
use super::helpers::NO_ENTRY;
use super::pipeline::Bodies;
use crate::program::table::TableDef;
use crate::tables::ternary::{RangeCheck, TernaryKey};

/// Most rows of a table that becomes code.
const ROWS: usize = 64;

/// Value and mask of a packed key, and the entry's slot.
type Row = (TernaryKey, u32);

impl Emitter<'_, '_> {
    /// The rows of a table that never changes, by falling priority.
    pub fn constant_rows(&self, table: u32, def: &TableDef) -> Option<Vec<Row>> {
        let table = &self.tables.tables[table as usize];
        (def.const_entries && table.len() <= ROWS).then(|| table.rows(def))
    }

    /// Compares the packet with one row after the other.
    pub fn const_table(
        &mut self,
        table: u32,
        rows: &[Row],
        bodies: &mut Bodies<'_>,
        block: &dyn Fn(u32) -> Block,
    ) {
        let def = bodies.def;
        let (words, values) = self.pack(def);
        for (key, entry) in rows {
            let missed = self.b.create_block();
            self.compare(def, &words, &values, key, missed);
            if def.notes_hits() {
                self.choose(table, *entry, bodies, block);
            } else {
                let call = self.tables.tables[table as usize]
                    .entry(*entry)
                    .action
                    .direct();
                self.perform(call, true, bodies);
            }
            self.b.switch_to_block(missed);
        }
        match self.fixed_default(table, def) {
            Some(call) if !def.notes_hits() => self.perform(call, false, bodies),
            _ => self.choose(table, NO_ENTRY, bodies, block),
        }
    }

    /// Goes on where a key matches a row, and to `missed` otherwise.
    fn compare(
        &mut self,
        def: &TableDef,
        words: &[Ssa],
        values: &[Ssa],
        key: &TernaryKey,
        missed: Block,
    ) {
        for (&word, &(value, mask)) in words.iter().zip(&key.words) {
            if mask != 0 {
                let bits = self.b.ins().band_imm(word, mask as i64);
                let equal = self.b.ins().icmp_imm(IntCC::Equal, bits, value as i64);
                self.on_if(equal, missed);
            }
        }
        for RangeCheck { at, low, high } in &key.ranges {
            let mut fields = def.key.iter().zip(values);
            let field = fields.find(|(field, _)| field.at == *at);
            let (_, &value) = field.expect("a range is that of a field");
            let [low, high] = [low, high].map(|bytes| {
                bytes
                    .iter()
                    .fold(0u64, |number, &byte| number << 8 | u64::from(byte))
            });
            let above = self.b.ins().iadd_imm(value, low.wrapping_neg() as i64);
            let width = (high - low) as i64;
            let inside = IntCC::UnsignedLessThanOrEqual;
            let inside = self.b.ins().icmp_imm(inside, above, width);
            self.on_if(inside, missed);
        }
    }

    fn on_if(&mut self, matches: Ssa, missed: Block) {
        let on = self.b.create_block();
        self.b.ins().brif(matches, on, &[], missed, &[]);
        self.b.switch_to_block(on);
    }
}
