// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables: keys that are constants, priorities without effect, and entries that never match.

use std::collections::{HashMap, HashSet};

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::report::Report;
use crate::ir::{Entry, ExprKind, KeySet, Program, Table, Type, Value};
use crate::span::Span;
use crate::warnings::Warning;

/// The limit of comparisons between the entries of one table, so that time is linear in the number of entries; with
/// more kinds of masks than that, entries behind others are not looked for.
const MAX_MASKS: usize = 64;

pub(super) fn check(program: &Program, report: &mut Report) {
    for table in &program.tables {
        keys(table, report);
        priorities(table, report);
        masks(table, report);
        covered(table, report);
    }
}

fn keys(table: &Table, report: &mut Report) {
    for key in &table.keys {
        if matches!(key.expr.kind, ExprKind::Const(_)) {
            let message = format!("key `{}` of table {} is constant", key.name, name(table));
            report.warning(Warning::IgnoreProperty, key.expr.span, message);
        }
    }
}

fn priorities(table: &Table, report: &mut Report) {
    let mut first: HashMap<&BigInt, Span> = HashMap::new();
    let mut previous: Option<(&BigInt, Span)> = None;
    let mut in_order = true;
    for entry in &table.entries {
        let annotated = entry.annotations.iter().find(|a| a.name.text == "priority");
        if let Some(annotation) = annotated {
            let message = "`@priority` is not part of the language, and P4Runtime ignores it: \
                           write `priority = N:` in front of the keys";
            report.warning(Warning::Deprecated, annotation.span, message.to_owned());
        }
        let Some(priority) = &entry.priority else {
            continue;
        };
        let other = *first.entry(priority).or_insert(entry.span);
        if other != entry.span {
            report.warning_with_note(
                Warning::DuplicatePriorities,
                other,
                format!(
                    "another entry of table {} has priority {priority} too",
                    name(table)
                ),
                Some((entry.span, "the other is here")),
            );
        }
        let out_of_order = |(before, _): &(&BigInt, Span)| match table.largest_priority_wins {
            true => priority > *before,
            false => priority < *before,
        };
        if let Some((_, before)) = previous.filter(out_of_order).filter(|_| in_order) {
            report.warning_with_note(
                Warning::EntriesOutOfOrder,
                before,
                format!(
                    "the next entry of table {} goes before this one",
                    name(table)
                ),
                Some((entry.span, "its priority is here")),
            );
            in_order = false;
        }
        previous = Some((priority, entry.span));
    }
}

/// In the source: the instances of a control share one warning.
fn name(table: &Table) -> &str {
    table.name.rsplit('.').next().unwrap_or(&table.name)
}

/// Bits of values that no packet is compared with.
fn masks(table: &Table, report: &mut Report) {
    for key in table.entries.iter().flat_map(|entry| &entry.keyset) {
        let KeySet::Mask(value, mask) = key else {
            continue;
        };
        if let (ExprKind::Const(Value::Int(bits)), ExprKind::Const(Value::Int(mask))) =
            (&value.kind, &mask.kind)
        {
            if bits & mask != *bits {
                let message = format!(
                    "{bits:#x} has bits outside of its mask {mask:#x}: they are not compared"
                );
                report.warning(Warning::Mismatch, value.span, message);
            }
        }
    }
}

/// The bits that an entry compares with a key: the bits, and their values.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Compared {
    Bits(BigInt),
    /// Not in bits that can be more or fewer: a range, or a prefix, where the longer goes first.
    Exactly(BigInt, BigInt),
}

/// The mask and the value of each key.
type Masks = Vec<Compared>;
type Values = Vec<BigInt>;

/// An entry: its number in the order in which entries are tried, and where the source has it.
type Place = (usize, Span);

fn compared(entry: &Entry, table: &Table) -> Option<(Masks, Values)> {
    let pairs = entry.keyset.iter().zip(&table.keys).map(|(set, key)| {
        let all = || match key.expr.ty {
            Type::Bit(bits) | Type::Int(bits) => (BigInt::one() << bits) - 1,
            _ => BigInt::from(-1),
        };
        let (mask, value) = match set {
            KeySet::DontCare => (BigInt::zero(), BigInt::zero()),
            KeySet::Value(value) => (all(), constant(&value.kind)?),
            KeySet::Mask(value, mask) => (constant(&mask.kind)?, constant(&value.kind)?),
            KeySet::Range(low, high) => {
                let bounds = Compared::Exactly(constant(&low.kind)?, constant(&high.kind)?);
                return Some((bounds, BigInt::zero()));
            }
            KeySet::ValueSet(_) => return None,
        };
        let value = value & &mask;
        Some(match key.match_kind.as_str() {
            "lpm" => (Compared::Exactly(mask, BigInt::zero()), value),
            _ => (Compared::Bits(mask), value),
        })
    });
    let pairs: Option<Vec<_>> = pairs.collect();
    Some(pairs?.into_iter().unzip())
}

fn constant(kind: &ExprKind) -> Option<BigInt> {
    match kind {
        ExprKind::Const(Value::Int(value)) => Some(value.clone()),
        ExprKind::Const(Value::Bool(value)) => Some(BigInt::from(u8::from(*value))),
        ExprKind::Const(Value::Error(code)) => Some(BigInt::from(*code)),
        ExprKind::Const(Value::Enum(_, index)) => Some(BigInt::from(*index)),
        _ => None,
    }
}

/// The values that an entry has in the bits of `masks`, if a packet that it matches can match an entry with these masks only
/// by them.
fn under(masks: &Masks, own: &Masks, values: &Values) -> Option<Values> {
    let pairs = masks.iter().zip(own).zip(values);
    pairs
        .map(|((mask, own), value)| match (mask, own) {
            (Compared::Bits(mask), Compared::Bits(own)) if mask & own == *mask => {
                Some(value & mask)
            }
            (mask, own) if mask == own => Some(value.clone()),
            _ => None,
        })
        .collect()
}

/// Entries that match only what entries before them match.
fn covered(table: &Table, report: &mut Report) {
    let mut order: Vec<&Entry> = table.entries.iter().collect();
    match table.largest_priority_wins {
        true => order.sort_by(|a, b| b.priority.cmp(&a.priority)),
        false => order.sort_by(|a, b| a.priority.cmp(&b.priority)),
    }
    let mut known: Vec<(Masks, HashMap<Values, Place>)> = Vec::new();
    let mut given: HashSet<Span> = HashSet::new();
    for (place, entry) in order.into_iter().enumerate() {
        let Some((masks, values)) = compared(entry, table) else {
            return;
        };
        let covering = known.iter().filter_map(|(other, entries)| {
            let values = under(other, &masks, &values)?;
            entries.get(&values)
        });
        let first = covering.min_by_key(|(place, _)| place);
        if let Some(&(_, first)) = first.filter(|_| given.insert(entry.span)) {
            report.warning_with_note(
                Warning::Keys,
                entry.span,
                format!("this entry of table {} never matches", name(table)),
                Some((first, "all that it matches, this one matches first")),
            );
        }
        let of_masks = known.iter().position(|(other, _)| *other == masks);
        let of_masks = match of_masks {
            Some(known) => known,
            None if known.len() == MAX_MASKS => return,
            None => {
                known.push((masks, HashMap::new()));
                known.len() - 1
            }
        };
        let same = known[of_masks].1.entry(values);
        same.or_insert((place, entry.span));
    }
}
