// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Running pipelines.

use super::calc;
use super::env::Env;
use crate::program::{ControlNode, Pipeline};
use crate::state::stored::Stored;
use crate::tables::bound::Bound;
use crate::tables::{Selection, Tables};

impl Env<'_> {
    /// Runs a pipeline until its end or `exit`.
    pub fn apply<const TRACED: bool>(&mut self, pipeline: &Pipeline, tables: &mut Tables) {
        let mut node = pipeline.first;
        while let Some(&current) = pipeline.nodes.get(node as usize) {
            let work = pipeline.work.get(node as usize).copied().unwrap_or(0);
            if self.packet.requests.exit || !self.pay(work) {
                break;
            }
            node = match current {
                ControlNode::Table(table) => self.apply_table::<TRACED>(table, tables),
                ControlNode::Branch(cond, yes, no) => {
                    let taken = self.ctx(&[]).bool(cond);
                    if let Some(coverage) = &self.program.coverage {
                        coverage.branch(pipeline.number, node, taken);
                    }
                    if TRACED {
                        self.note_condition(pipeline, node, cond, taken);
                    }
                    if taken {
                        yes
                    } else {
                        no
                    }
                }
                ControlNode::Call(action, next) => {
                    if TRACED {
                        self.note_call(pipeline, node, action);
                    }
                    self.run::<TRACED>(&self.program.actions[action as usize].ops, &[]);
                    next
                }
            };
        }
    }

    /// Looks a packet up and runs the action; gives the next node.
    pub fn apply_table<const TRACED: bool>(&mut self, index: u32, tables: &mut Tables) -> u32 {
        let program = self.program;
        let hit = tables.lookup(index, &program.tables[index as usize], &self.packet.phv);
        let seen = TRACED.then(|| self.table_key(index, hit, tables));
        let (call, next) = self.choose(index, hit, tables);
        if let Some(coverage) = &program.coverage {
            coverage.table(index, hit, call.map(|call| call.action));
        }
        if let Some(seen) = seen {
            self.note_table(index, seen, call);
        }
        if let Some(call) = call {
            self.run::<TRACED>(&program.actions[call.action as usize].ops, &call.data);
        }
        next
    }

    /// Counts a hit or a miss, and gives its action and the next node.
    pub fn choose<'t>(
        &mut self,
        index: u32,
        hit: Option<u32>,
        tables: &'t mut Tables,
    ) -> (Option<&'t Bound>, u32) {
        let program = self.program;
        let def = &program.tables[index as usize];
        self.touch(index, hit, tables);
        let number = match tables.selection(index, hit) {
            Selection::None => 0,
            Selection::Draw => self.externs.random.next(),
            Selection::Hash(profile) => {
                let selector = &program.selectors[profile as usize];
                selector.as_ref().map_or(0, |input| {
                    calc::compute(program, input, self.externs, self.packet)
                })
            }
        };
        tables.action(index, hit, def, number)
    }
    /// As [`Self::choose`], for a table without an action profile; the next node follows from the result.
    #[inline]
    pub fn choose_direct<'t>(
        &mut self,
        index: u32,
        hit: Option<u32>,
        tables: &'t mut Tables,
    ) -> Option<&'t Bound> {
        self.touch(index, hit, tables);
        tables.direct(index, hit)
    }

    /// Notes a hit or a miss, the number of the entry, and the colour of a direct meter.
    #[inline]
    fn touch(&mut self, index: u32, hit: Option<u32>, tables: &mut Tables) {
        let def = &self.program.tables[index as usize];
        let bytes = self.packet.ingress_bytes;
        if let Some(place) = def.entry_index {
            let number = hit.map_or(u64::MAX, u64::from);
            place.write_u64(&mut self.packet.phv.bytes, number);
        }
        let outcome = tables.touch(index, hit, def, self.now_ns, bytes);
        if let Some((color, target)) = outcome {
            Stored::Small(color.into()).write(
                target,
                &mut self.packet.phv.bytes,
                &self.externs.scratch,
            );
        }
    }
}
