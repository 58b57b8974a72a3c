// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Parser`: tables.

use super::{Parsed, Parser};
use crate::ast::{
    ActionRef, Annotation, Decl, DeclKind, KeyElement, PropertyValue, TableEntry, TableProperty,
};

impl Parser<'_> {
    pub(super) fn table(&mut self, annotations: Vec<Annotation>) -> Parsed<Decl> {
        let start = self.expect_word("table")?;
        let name = self.name("the table's name")?;
        self.scopes.declare_object(&name.text);
        self.expect("{")?;
        let mut properties = Vec::new();
        self.elements(|p| {
            properties.push(p.table_property()?);
            Ok(true)
        });
        self.expect("}")?;
        let kind = DeclKind::Table(properties);
        Ok(Decl {
            annotations,
            kind,
            name,
            span: self.span_from(start),
        })
    }

    fn table_property(&mut self) -> Parsed<TableProperty> {
        let annotations = self.annotations()?;
        let start = self.token().span;
        let is_const = self.eat_word("const");
        let name = self.name("a table property")?;
        let plain = annotations.is_empty() && !is_const;
        if !plain && matches!(name.text.as_str(), "key" | "actions") {
            let message = format!("'{}' cannot be const or have annotations", name.text);
            return Err(self.error(name.span, message));
        }
        self.expect("=")?;
        let value = match name.text.as_str() {
            "key" => PropertyValue::Key(self.braced(Self::key_element)?),
            "actions" => PropertyValue::Actions(self.braced(Self::listed_action)?),
            "entries" => PropertyValue::Entries(self.braced(Self::entry)?),
            _ => {
                let value = self.expression()?;
                self.expect(";")?;
                PropertyValue::Expr(value)
            }
        };
        let span = self.span_from(start);
        Ok(TableProperty {
            annotations,
            is_const,
            name,
            value,
            span,
        })
    }

    /// `{ items }`; those with errors are left out.
    fn braced<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.expect("{")?;
        let mut items = Vec::new();
        self.elements(|p| {
            items.push(item(p)?);
            Ok(true)
        });
        self.expect("}")?;
        Ok(items)
    }

    /// `expression : match_kind annotations;`
    fn key_element(&mut self) -> Parsed<KeyElement> {
        let expr = self.expression()?;
        self.expect(":")?;
        let match_kind = self.path("a match kind")?;
        let annotations = self.annotations()?;
        self.expect(";")?;
        Ok(KeyElement {
            annotations,
            expr,
            match_kind,
        })
    }

    fn listed_action(&mut self) -> Parsed<ActionRef> {
        let annotations = self.annotations()?;
        let mut action = self.action_ref()?;
        self.expect(";")?;
        action.annotations = annotations;
        Ok(action)
    }

    fn action_ref(&mut self) -> Parsed<ActionRef> {
        let start = self.token().span;
        let path = self.path("an action")?;
        let args = if self.eat("(") {
            self.comma_list(")", false, Self::argument)?
        } else {
            Vec::new()
        };
        Ok(ActionRef {
            annotations: Vec::new(),
            path,
            args,
            span: self.span_from(start),
        })
    }

    /// `const priority = n : keys : action(args) annotations;`
    fn entry(&mut self) -> Parsed<TableEntry> {
        let start = self.token().span;
        let is_const = self.eat_word("const");
        let priority = if self.at_word("priority") && self.ahead(1).is("=") {
            self.advance();
            self.advance();
            let priority = self.expression()?;
            self.expect(":")?;
            Some(priority)
        } else {
            None
        };
        let keyset = self.keyset()?;
        self.expect(":")?;
        let action = self.action_ref()?;
        let annotations: Vec<Annotation> = self.annotations()?;
        self.expect(";")?;
        let span = self.span_from(start);
        Ok(TableEntry {
            annotations,
            is_const,
            priority,
            keyset,
            action,
            span,
        })
    }
}
