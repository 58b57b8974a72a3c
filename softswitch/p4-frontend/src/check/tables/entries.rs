// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: entries that a program gives its tables.

use num_bigint::BigInt;
use num_traits::Signed;

use crate::ast;
use crate::check::checker::Checker;
use crate::check::tables::actions::{is_default_only, TableActions};
use crate::check::values::constant::mask;
use crate::check::values::fold::width;
use crate::diagnostics::plural;
use crate::ir::{Entry, Expr, Key, KeySet, Table, Type, Value};
use crate::span::Span;

impl<'a> Checker<'a, '_> {
    pub fn entries(
        &mut self,
        table: &Table,
        actions: &TableActions<'a>,
        entries: &'a [ast::TableEntry],
        all_const: bool,
        priority_delta: &BigInt,
    ) -> Option<Vec<Entry>> {
        let needs_priority = table
            .keys
            .iter()
            .any(|key| !matches!(key.match_kind.as_str(), "exact" | "lpm"));
        let mut result = self.all(entries, |c, entry| {
            c.entry(table, actions, entry, all_const, needs_priority)
        })?;
        if needs_priority {
            self.derive_priorities(table, &mut result, priority_delta)?;
        }
        Some(result)
    }

    fn entry(
        &mut self,
        table: &Table,
        actions: &TableActions<'a>,
        entry: &'a ast::TableEntry,
        all_const: bool,
        needs_priority: bool,
    ) -> Option<Entry> {
        let keys = &table.keys;
        // `_` alone stands for all keys; a list of all keys may be parenthesised or braced.
        let keyset: &'a [ast::Expr] = match entry.keyset.as_slice() {
            [ast::Expr {
                kind: ast::ExprKind::List { items, rest: false },
                ..
            }] => items,
            keyset => keyset,
        };
        let keyset = match keyset {
            [single] if keys.len() != 1 && matches!(single.kind, ast::ExprKind::DontCare) => {
                for key in keys {
                    self.check_match_kind(key, &KeySet::DontCare, single.span)?;
                }
                vec![KeySet::DontCare; keys.len()]
            }
            _ if keyset.len() != keys.len() => {
                return self.error(
                    entry.span,
                    format!(
                        "the table has {} key{}, but the entry has {}",
                        keys.len(),
                        plural(keys.len()),
                        keyset.len()
                    ),
                )
            }
            _ => {
                let pairs: Vec<_> = keyset.iter().zip(keys).collect();
                self.all(pairs, |c, (expr, key)| {
                    let keyset = c.keyset(expr, &key.expr.ty)?;
                    c.check_match_kind(key, &keyset, expr.span)?;
                    Some(keyset)
                })?
            }
        };
        let (action, args) = self.initial_action(
            &entry.action.path,
            &entry.action.args,
            actions,
            entry.action.span,
        )?;
        if is_default_only(&actions.uses[action]) {
            return self.error(
                entry.action.span,
                "this action is `@defaultonly`: it cannot be in an entry",
            );
        }
        let priority = match &entry.priority {
            None => None,
            Some(priority) if all_const => {
                return self.error(
                    priority.span,
                    "entries of a `const entries` list have no priorities: their order counts",
                )
            }
            Some(priority) if !needs_priority => {
                return self.error(
                    priority.span,
                    "a table with only `exact` and `lpm` keys has no priorities",
                )
            }
            Some(priority) => {
                let value = self.constant_int(priority, "a priority")?;
                if value.is_negative() {
                    return self.error(
                        priority.span,
                        format!("a priority cannot be negative: {value}"),
                    );
                }
                Some(value)
            }
        };
        Some(Entry {
            keyset,
            priority,
            is_const: all_const || entry.is_const,
            action,
            args,
            annotations: entry.annotations.clone(),
            span: entry.span,
        })
    }

    /// Section "Entry priorities" of the specification: an entry without priority gets that of the entry before, changed by `priority_delta`.
    fn derive_priorities(
        &mut self,
        table: &Table,
        entries: &mut [Entry],
        delta: &BigInt,
    ) -> Option<()> {
        let count = entries.len();
        if let Some(first) = entries.first() {
            if first.priority.is_none() && entries.iter().any(|entry| entry.priority.is_some()) {
                return self.error(
                    first.span,
                    "the first entry needs a priority when a later one has one",
                );
            }
        }
        let mut previous: Option<BigInt> = None;
        for entry in entries {
            let priority = match (entry.priority.take(), &previous) {
                (Some(written), _) => written,
                (None, None) if table.largest_priority_wins => delta * (count - 1) + 1,
                (None, None) => 1.into(),
                (None, Some(previous)) if table.largest_priority_wins => previous - delta,
                (None, Some(previous)) => previous + delta,
            };
            if priority.is_negative() {
                return self.error(
                    entry.span,
                    "the priority that follows from the entry before is negative: write one",
                );
            }
            previous = Some(priority.clone());
            entry.priority = Some(priority);
        }
        Some(())
    }

    /// Whether a key of its match kind can take the key set.
    fn check_match_kind(&mut self, key: &Key, keyset: &KeySet, span: Span) -> Option<()> {
        let fits = match (key.match_kind.as_str(), keyset) {
            ("exact", KeySet::Value(_)) => true,
            ("exact", KeySet::DontCare | KeySet::Mask(..)) => self.rules.exact_keys_take_masks,
            ("exact", _) => false,
            ("lpm", KeySet::Mask(_, mask)) => return self.check_prefix(key, mask),
            ("lpm", keyset) => matches!(keyset, KeySet::Value(_) | KeySet::DontCare),
            ("ternary", keyset) => !matches!(keyset, KeySet::Range(..)),
            ("range", keyset) => !matches!(keyset, KeySet::Mask(..)),
            ("optional", keyset) => matches!(keyset, KeySet::Value(_) | KeySet::DontCare),
            _ => true,
        };
        if fits {
            return Some(());
        }
        let shown = match keyset {
            KeySet::DontCare => "a don't-care",
            KeySet::Value(_) => "a value",
            KeySet::Mask(..) => "a mask",
            KeySet::Range(..) => "a range",
            KeySet::ValueSet(_) => "a value set",
        };
        self.error(
            span,
            format!(
                "a key of the kind `{}` cannot match {shown}",
                key.match_kind
            ),
        )
    }

    fn check_prefix(&mut self, key: &Key, prefix: &Expr) -> Option<()> {
        let representation: Type = self.types.representation(&key.expr.ty);
        if let Some(Value::Int(bits)) = self.value_of(prefix) {
            let full = mask(width(&representation));
            let inverted = &full - (bits & &full);
            // The inverse of a prefix is one less than a power of two.
            if &inverted & (&inverted + 1) != BigInt::from(0) {
                return self.error(
                    prefix.span,
                    "the mask of an `lpm` key must be a prefix: ones, then zeros",
                );
            }
        }
        Some(())
    }
}
