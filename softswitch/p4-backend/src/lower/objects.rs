// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Objects that statements refer to by name or number: hashes, lists of fields, the targets of direct meters.

use std::collections::HashMap;

use quench_p4_frontend::ir::{ExternId, ValueSetId};
use quench_p4_frontend::span::Span;

use crate::json::{Crc, Expr};

#[derive(Default)]
pub struct Objects {
    pub calculations: Vec<Calculation>,
    /// Lists of fields that copies of a packet keep; the id is the position, from 1.
    pub field_lists: Vec<FieldList>,
    /// Position in `field_lists` for the number in `@field_list(number)`.
    pub field_list_numbers: HashMap<u64, usize>,
    /// Lists of fields that digests carry; the id is the position, from 1.
    pub learn_lists: Vec<FieldList>,
    /// The field for the colour of each direct meter.
    pub meter_targets: HashMap<ExternId, (String, String)>,
    pub value_sets: Vec<ValueSetId>,
}

#[derive(Clone, Debug)]
pub struct Calculation {
    pub name: String,
    pub algorithm: String,
    pub input: Vec<Expr>,
    pub with_payload: bool,
    /// Width of the result, and the parameters of a CRC, where the algorithm's name does not say them.
    pub bits: Option<u32>,
    pub crc: Option<Crc>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct FieldList {
    pub name: String,
    pub elements: Vec<Expr>,
    pub span: Span,
}

impl Objects {
    /// Adds a hash and gives its name.
    pub fn add_calculation(
        &mut self,
        algorithm: String,
        input: Vec<Expr>,
        with_payload: bool,
        span: Span,
    ) -> String {
        self.add(Calculation {
            name: String::new(),
            algorithm,
            input,
            with_payload,
            bits: None,
            crc: None,
            span,
        })
    }

    /// Adds a hash under a name of its own, and gives that.
    pub fn add(&mut self, calculation: Calculation) -> String {
        let name = match self.calculations.len() {
            0 => "calc".to_owned(),
            number => format!("calc_{}", number - 1),
        };
        self.calculations.push(Calculation {
            name: name.clone(),
            ..calculation
        });
        name
    }

    /// The list without fields.
    pub fn empty_field_list(&mut self, span: Span) -> usize {
        let known = self
            .field_lists
            .iter()
            .position(|list| list.elements.is_empty());
        let index = known.unwrap_or_else(|| {
            self.field_lists.push(FieldList {
                name: "fl".to_owned(),
                elements: Vec::new(),
                span,
            });
            self.field_lists.len() - 1
        });
        index + 1
    }
}
