// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Entries that a program gives its tables.

use std::collections::HashSet;

use num_bigint::BigInt;
use num_traits::Zero;
use quench_p4_frontend::ir::{self, ExprKind, KeySet};
use serde_json::{json, Value};

use super::emitter::Emitter;
use crate::annotation;
use crate::error::{not_supported, Error, Result};
use crate::json::{hex, ActionEntry, Entry};
use crate::lower::{constant_bits, mask, unsigned_ranges, Key, Lower, LoweredTable};

impl<'a> Emitter<'a> {
    pub(super) fn entries(
        &self,
        table: &ir::Table,
        lowered: &LoweredTable,
        lower: &Lower<'a>,
    ) -> Result<Option<Vec<Entry>>> {
        if table.entries.is_empty() {
            return Ok(None);
        }
        if lowered.profile.is_some() {
            return not_supported(table.span, "entries in a table with an action profile");
        }
        // BMv2 refuses to load a table with two entries for one key, unless they have priorities.
        let mut kinds = lowered.keys.iter().map(|key| key.match_kind.as_str());
        let has_priorities = kinds.any(|kind| kind != "exact" && kind != "lpm");
        let mut known = HashSet::new();
        let (mut entries, mut priorities) = (Vec::new(), Vec::new());
        for (priority, entry) in by_priority(table)? {
            let match_key: Option<Vec<Value>> = lowered
                .keys
                .iter()
                .map(|key| {
                    let element = if entry.keyset.len() == table.keys.len() {
                        &entry.keyset[key.index]
                    } else {
                        &entry.keyset[0]
                    };
                    match_key(key, element, entry)
                })
                .collect::<Result<_>>()?;
            // An empty range, which the front end warned about: no packet has this key.
            let Some(match_key) = match_key else {
                continue;
            };
            if !has_priorities && !known.insert(match_key.clone()) {
                return Err(Error::new(
                    entry.span,
                    format!(
                        "another entry of '{}' has this key: take one out",
                        table.name
                    ),
                ));
            }
            let action_id = lowered.actions[entry.action];
            entries.push(Entry {
                source_info: self.source_info(entry.span),
                match_key,
                action_entry: ActionEntry {
                    action_id,
                    action_data: self.action_data(action_id, &entry.args, lower, entry.span)?,
                },
                priority,
                is_const: entry.is_const && !table.const_entries,
                p4runtime_priority: None,
            });
            let given = entry.priority.as_ref();
            let given = given.and_then(|given| i32::try_from(given.clone()).ok());
            priorities.push(given.filter(|&given| given > 0));
        }
        add_p4runtime_priorities(table, &mut entries, &priorities);
        Ok(Some(entries))
    }
}

/// Adds the priorities that the program gives where they do not follow from BMv2's, if they can be P4Runtime's: there
/// the largest wins, and no two entries have both key and priority in common.
fn add_p4runtime_priorities(table: &ir::Table, entries: &mut [Entry], given: &[Option<i32>]) {
    let Some(given) = given.iter().copied().collect::<Option<Vec<i32>>>() else {
        return;
    };
    let follow = (1..)
        .zip(given.iter().rev())
        .all(|(place, &given)| given == place);
    let mut known = HashSet::new();
    let mut pairs = entries.iter().map(|entry| &entry.match_key).zip(&given);
    let distinct = pairs.all(|pair| known.insert(pair));
    if table.largest_priority_wins && !follow && distinct {
        for (entry, &given) in entries.iter_mut().zip(&given) {
            entry.p4runtime_priority = Some(given);
        }
    }
}

/// The entries with BMv2's priorities, of which the smallest wins.
fn by_priority(table: &ir::Table) -> Result<Vec<(usize, &ir::Entry)>> {
    let annotated = |entry: &ir::Entry| annotation::find(&entry.annotations, "priority").is_some();
    if !table.entries.iter().any(annotated) {
        return Ok((1..).zip(table.entries_by_priority()).collect());
    }
    // p4c's own annotation means BMv2's number; without it an entry has its position.
    (1..)
        .zip(&table.entries)
        .map(|(position, entry)| {
            let Some(priority) = annotation::find(&entry.annotations, "priority") else {
                return Ok((position, entry));
            };
            match annotation::integers(priority).as_deref() {
                Some(&[priority]) => Ok((priority as usize, entry)),
                _ => not_supported(priority.span, "a @priority of anything but one integer"),
            }
        })
        .collect()
}

/// `None` for a range that is empty.
fn match_key(key: &Key, element: &KeySet, entry: &ir::Entry) -> Result<Option<Value>> {
    let bits = key.scalar.bits();
    let constant = |e: &ir::Expr| match &e.kind {
        ExprKind::Const(value) => match constant_bits(value, bits) {
            Some(value) => Ok(value),
            None => not_supported(e.span, "a key of this type"),
        },
        _ => not_supported(e.span, "a key that is not constant"),
    };
    let text = |value: &BigInt| hex(value, bits);
    let all = mask(bits);
    let refuse = || not_supported(entry.span, "this kind of key here");
    Ok(Some(match key.match_kind.as_str() {
        "exact" => match element {
            KeySet::Value(e) => json!({"match_type": "exact", "key": text(&constant(e)?)}),
            KeySet::Mask(value, mask) if constant(mask)? == all => {
                json!({"match_type": "exact", "key": text(&constant(value)?)})
            }
            _ => return refuse(),
        },
        "lpm" => {
            let (value, prefix) = match element {
                KeySet::Value(e) => (constant(e)?, bits),
                KeySet::Mask(value, prefix) => {
                    let prefix = constant(prefix)?;
                    let ones = prefix.magnitude().count_ones() as u32;
                    if prefix != &all ^ mask(bits - ones) {
                        return not_supported(
                            entry.span,
                            "a mask for an lpm key that is not a prefix",
                        );
                    }
                    (constant(value)? & prefix, ones)
                }
                KeySet::DontCare => (BigInt::zero(), 0),
                _ => return refuse(),
            };
            json!({"match_type": "lpm", "key": text(&value), "prefix_length": prefix})
        }
        "range" => {
            let (start, end) = match element {
                KeySet::Value(e) => (constant(e)?, constant(e)?),
                KeySet::Range(lo, hi) => {
                    let mut parts = unsigned_ranges(constant(lo)?, constant(hi)?, key.scalar);
                    match (parts.pop(), parts.pop()) {
                        (None, _) => return Ok(None),
                        (Some(range), None) => range,
                        _ => {
                            return not_supported(
                                lo.span.to(hi.span),
                                "a range from negative numbers to others in an entry: write an entry for each part",
                            )
                        }
                    }
                }
                KeySet::DontCare => (BigInt::zero(), all),
                _ => return refuse(),
            };
            json!({"match_type": "range", "start": text(&start), "end": text(&end)})
        }
        _ => {
            let (value, mask) = match element {
                KeySet::Value(e) => (constant(e)?, all),
                KeySet::Mask(value, mask) => {
                    let mask = constant(mask)?;
                    (constant(value)? & &mask, mask)
                }
                KeySet::DontCare => (BigInt::zero(), BigInt::zero()),
                _ => return refuse(),
            };
            json!({"match_type": "ternary", "key": text(&value), "mask": text(&mask)})
        }
    }))
}
