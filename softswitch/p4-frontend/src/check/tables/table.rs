// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: tables: keys and properties other than actions and entries.

use num_traits::ToPrimitive;

use crate::ast::{self, PropertyValue, TableProperty};
use crate::check::checker::Checker;
use crate::check::names::control_plane::{hierarchical, name_annotation};
use crate::check::state::place::Body;
use crate::ir::{self, Key, Property, TableId, Type, TypeDefKind, Value};

impl<'a> Checker<'a, '_> {
    pub fn table(
        &mut self,
        decl: &'a ast::Decl,
        properties: &'a [TableProperty],
    ) -> Option<TableId> {
        let table_name = &decl.name.text;
        for (index, property) in properties.iter().enumerate() {
            if properties[..index]
                .iter()
                .any(|other| other.name.text == property.name.text)
            {
                self.error::<()>(
                    property.name.span,
                    format!(
                        "table `{table_name}` has two properties `{}`",
                        property.name.text
                    ),
                );
            }
        }
        let find = |name: &str| {
            properties
                .iter()
                .find(|property| property.name.text == name)
        };
        let place_of = |name: &str| properties.iter().position(|p| p.name.text == name);
        if let (Some(key), Some(entries)) = (place_of("key"), place_of("entries")) {
            if entries < key {
                return self.error(properties[entries].span, "`entries` must come after `key`");
            }
        }
        if let (Some(actions), Some(default)) = (place_of("actions"), place_of("default_action")) {
            if default < actions {
                return self.error(
                    properties[default].span,
                    "`default_action` must come after `actions`",
                );
            }
        }
        let name = hierarchical(&self.place.prefix, table_name, &decl.annotations);

        let keys = match find("key").map(|property| &property.value) {
            Some(PropertyValue::Key(elements)) => {
                // The result of another table's `apply` may be a key.
                let outer = std::mem::replace(&mut self.place.body, Body::ControlApply);
                let keys = self.keys(elements);
                self.place.body = outer;
                keys
            }
            _ => Some(Vec::new()),
        };
        let Some(actions) = find("actions") else {
            return self.error(
                decl.name.span,
                format!("table `{table_name}` has no `actions`"),
            );
        };
        let actions = match &actions.value {
            PropertyValue::Actions(refs) => self.action_list(refs),
            _ => self.error(actions.span, "`actions` must be a list of actions"),
        };
        let (keys, mut actions) = (keys?, actions?);
        let default_action = self.default_action(find("default_action"), &mut actions)?;
        let mut table = ir::Table {
            name,
            annotations: decl.annotations.clone(),
            keys,
            actions: Vec::new(),
            default_action,
            const_entries: false,
            entries: Vec::new(),
            size: None,
            largest_priority_wins: true,
            properties: Vec::new(),
            externs_before: self.ir.externs.len() as u32,
            span: decl.span,
        };
        let mut priority_delta = 1.into();
        for property in properties {
            let PropertyValue::Expr(value) = &property.value else {
                continue;
            };
            match property.name.text.as_str() {
                "default_action" => {}
                "size" => table.size = self.table_size(value)?,
                "largest_priority_wins" => {
                    if let Some(Value::Bool(wins)) =
                        self.typed_value(value, &Type::Bool, "`largest_priority_wins`")?
                    {
                        table.largest_priority_wins = wins;
                    }
                }
                "priority_delta" => {
                    let delta = self.constant_int(value, "`priority_delta`")?;
                    if !num_traits::Signed::is_positive(&delta) {
                        return self.error(value.span, "`priority_delta` must be positive");
                    }
                    priority_delta = delta;
                }
                _ => {
                    if let Some(value) = self.property_value(&table.name, property, value)? {
                        table.properties.push(value);
                    }
                }
            }
        }
        if let Some(property) = find("entries") {
            if let PropertyValue::Entries(entries) = &property.value {
                if table.keys.is_empty() && !entries.is_empty() {
                    return self.error(
                        property.span,
                        format!("table `{table_name}` has no key: it cannot have entries"),
                    );
                }
                table.const_entries = property.is_const;
                table.entries = self.entries(
                    &table,
                    &actions,
                    entries,
                    property.is_const,
                    &priority_delta,
                )?;
            }
        }
        table.actions = actions.uses;
        let id = TableId(self.ir.tables.len() as u32);
        self.ir.tables.push(table);
        Some(id)
    }

    fn keys(&mut self, elements: &'a [ast::KeyElement]) -> Option<Vec<Key>> {
        self.all(elements, |c, element| {
            c.check_annotations(&element.annotations);
            let expr = c.expr(&element.expr, None)?;
            let usable = match &expr.ty {
                Type::Bit(_)
                | Type::Int(_)
                | Type::Varbit(_)
                | Type::Bool
                | Type::Error
                | Type::Variable(_) => true,
                ty => matches!(
                    c.types.def(ty),
                    Some(
                        TypeDefKind::Enum(_)
                            | TypeDefKind::SerEnum { .. }
                            | TypeDefKind::Newtype(_)
                    )
                ),
            };
            if !usable {
                let shown = c.types.show(&expr.ty);
                return c.error(expr.span, format!("`{shown}` cannot be a table key"));
            }
            let kind = &element.match_kind.name;
            if !c.ir.match_kinds.contains(&kind.text) {
                let message = format!("`{}` is not a declared match_kind", kind.text);
                let known = c.ir.match_kinds.clone();
                return c.unknown(kind, message, known.iter().map(String::as_str));
            }
            let name =
                match name_annotation(&element.annotations) {
                    Some(name) => name,
                    None => match c.key_name(&element.expr, Some(&expr)) {
                        Some(name) => name,
                        None => return c.error(
                            element.expr.span,
                            "a key that is not a simple field needs a name: add `@name(\"...\")`",
                        ),
                    },
                };
            Some(Key {
                expr,
                match_kind: kind.text.clone(),
                name,
                annotations: element.annotations.clone(),
            })
        })
    }

    fn table_size(&mut self, value: &'a ast::Expr) -> Option<Option<u64>> {
        let size = self.expr(value, None)?;
        if !self.types.is_numeric(&size.ty) {
            let shown = self.types.show(&size.ty);
            return self.error(
                value.span,
                format!("the size of a table must be an integer, not `{shown}`"),
            );
        }
        match self.known_value(size, "the size of a table")? {
            Some(Value::Int(size)) => match size.to_u64() {
                Some(size) => Some(Some(size)),
                None => self.error(value.span, format!("{size} is not a size")),
            },
            _ => Some(None),
        }
    }

    fn property_value(
        &mut self,
        table: &str,
        property: &TableProperty,
        value: &'a ast::Expr,
    ) -> Option<Option<Property>> {
        let name = &property.name.text;
        let checked = match &value.kind {
            ast::ExprKind::Call { .. } => {
                let instance_name = match name_annotation(&property.annotations) {
                    // Not hierarchical, as in p4c.
                    Some(name) => name.trim_start_matches('.').to_string(),
                    None => format!("{table}.{name}"),
                };
                self.named_call(value, instance_name, &property.annotations)?
            }
            _ => self.expr(value, None)?,
        };
        let value = self.known_value(checked, &format!("table property `{name}`"))?;
        Some(value.map(|value| Property {
            name: name.clone(),
            value,
            span: property.span,
        }))
    }
}
