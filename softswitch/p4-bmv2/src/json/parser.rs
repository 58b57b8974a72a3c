// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Parsers: states with operations, a key and transitions.

use serde::Serialize;
use serde_json::Value;

#[derive(Clone, Debug, Serialize)]
pub struct Parser {
    pub name: String,
    pub id: usize,
    pub init_state: String,
    pub parse_states: Vec<ParseState>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ParseState {
    pub name: String,
    pub id: usize,
    pub parser_ops: Vec<ParserOp>,
    pub transitions: Vec<Transition>,
    pub transition_key: Vec<Value>,
}

/// `extract`, `extract_VL`, `set`, `verify`, `advance`, or `primitive`, whose parameter is a primitive.
#[derive(Clone, Debug, Serialize)]
pub struct ParserOp {
    pub parameters: Vec<Value>,
    pub op: &'static str,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Transition {
    /// `default`, `hexstr` or `parse_vset`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub value: Option<String>,
    pub mask: Option<String>,
    /// `None` ends the parser.
    pub next_state: Option<String>,
}
