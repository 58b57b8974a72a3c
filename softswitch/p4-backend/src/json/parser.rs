// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Parsers: states with operations, a key and transitions.

use serde::Serialize;
use serde_json::Value;

use super::source_info::SourceInfo;

#[derive(Clone, Debug, Serialize)]
pub struct Parser {
    pub name: String,
    pub id: usize,
    pub init_state: String,
    pub parse_states: Vec<ParseState>,
    /// TNA: whether a packet with a parser error goes no further.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub drop_on_error: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct ParseState {
    pub name: String,
    pub id: usize,
    pub parser_ops: Vec<ParserOp>,
    pub transitions: Vec<Transition>,
    pub transition_key: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
}

/// `extract`, `extract_VL`, `set`, `verify`, `advance`, or `primitive`, whose parameter is a primitive.
#[derive(Clone, Debug, Serialize)]
pub struct ParserOp {
    pub parameters: Vec<Value>,
    pub op: &'static str,
    /// p4c writes none here, and none for states; BMv2 reads neither. `quench trace` shows them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_info: Option<SourceInfo>,
}

impl ParserOp {
    pub fn new(op: &'static str, parameters: Vec<Value>) -> Self {
        Self {
            parameters,
            op,
            source_info: None,
        }
    }
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
