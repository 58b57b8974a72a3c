// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Properties of v1model's tables.

use quench_p4_frontend::ir;
use quench_p4_frontend::suggest::closest;
use quench_p4_frontend::Warning;

use crate::emit::{enum_argument, size_argument};
use crate::error::{not_supported, Result};
use crate::json;
use crate::lower::{Lower, LoweredTable, Profile};

/// All that the language and v1model know.
const PROPERTIES: [&str; 10] = [
    "key",
    "actions",
    "default_action",
    "entries",
    "size",
    "largest_priority_wins",
    "implementation",
    "counters",
    "meters",
    "support_timeout",
];

impl Lower<'_> {
    pub(super) fn v1model_property(
        &mut self,
        property: &ir::Property,
        table: &mut LoweredTable,
    ) -> Result<()> {
        let ir = self.ir;
        match (property.name.as_str(), &property.value) {
            ("implementation", ir::Value::Extern(id)) => {
                let type_name = ir.externs[id.index()].type_name.as_str();
                if type_name != "action_profile" && type_name != "action_selector" {
                    return not_supported(
                        property.span,
                        format_args!("{type_name} as a table's implementation"),
                    );
                }
                let instance = &ir.externs[id.index()];
                let selector = match type_name {
                    "action_selector" => Some(json::Selector {
                        algo: enum_argument(ir, instance)?,
                        ..json::Selector::default()
                    }),
                    _ => None,
                };
                table.profile = Some(Profile {
                    instance: *id,
                    size: size_argument(instance)?,
                    selector,
                    groups: json::Groups::default(),
                    has_default: false,
                });
            }
            ("counters", ir::Value::Extern(id)) => table.direct_counter = Some(*id),
            ("meters", ir::Value::Extern(id)) => table.direct_meter = Some(*id),
            ("support_timeout", ir::Value::Bool(on)) => table.support_timeout = *on,
            (name, _) => {
                let hint = match closest(name, PROPERTIES) {
                    Some(other) if other != name => format!(": did you mean {other}?"),
                    _ => String::new(),
                };
                self.warnings.push((
                    Warning::IgnoreProperty,
                    property.span,
                    format!("table property {name} is not known to BMv2 and has no effect{hint}"),
                ));
            }
        }
        Ok(())
    }

    pub(super) fn warn_v1model_table(&mut self, table: &ir::Table, lowered: &LoweredTable) {
        if lowered.profile.is_some() {
            self.warn_default(table);
        }
        self.warn_size(table);
    }

    /// A table with an action profile does nothing when no entry matches.
    fn warn_default(&mut self, table: &ir::Table) {
        let index = table.default_action.action;
        let action = index.map(|index| &self.ir.actions[table.actions[index].action.index()]);
        if let Some(action) = action.filter(|action| action.name != "NoAction") {
            self.warnings.push((
                Warning::Unsupported,
                table.span,
                format!(
                    "the default action {} of table {} never runs: BMv2 has none for action profiles",
                    action.name, table.name
                ),
            ));
        }
    }

    /// On other targets the size of constant entries is memory to reserve.
    fn warn_size(&mut self, table: &ir::Table) {
        let Some(size) = table.size else {
            return;
        };
        let why = match (table.keys.is_empty(), table.const_entries) {
            (true, _) if size != 1 => "this table has no keys",
            (_, true) => "this table has constant entries",
            _ => return,
        };
        self.warnings.push((
            Warning::Mismatch,
            table.span,
            format!("{why}: its size {size} has no effect"),
        ));
    }
}
