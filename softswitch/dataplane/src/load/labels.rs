// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Names and source lines, for traces. They are at most as long as the JSON, whose size has a limit.

use super::json;
use super::json::Json;
use super::loader::Loader;
use crate::model::load_error::LoadResult;
use crate::program::labels::{Labels, NodeLabel, StateLabel};
use crate::trace::message::Source;

/// Source lines are for people to read: one of another shape is none.
fn source(json: &Json) -> Option<Source> {
    let text = |name: &str| match &json[name] {
        Json::Null => Some(""),
        value => value.as_str(),
    };
    let number = |name: &str| match &json[name] {
        Json::Null => Some(0),
        value => value.as_u64().and_then(|number| u32::try_from(number).ok()),
    };
    json.is_object().then_some(())?;
    Some(Source {
        file: text("filename")?.to_owned(),
        line: number("line")?,
        column: number("column")?,
        fragment: text("source_fragment")?.to_owned(),
    })
}

fn sources(primitives: &[json::Primitive]) -> Vec<Option<Source>> {
    let infos = primitives.iter().map(|primitive| &primitive.source_info);
    infos.map(source).collect()
}

fn state(state: &json::ParseState) -> StateLabel {
    let ops = state.parser_ops.iter().map(|op| {
        // The label of a primitive stands inside it.
        let inner = op
            .parameters
            .first()
            .map(|primitive| &primitive["source_info"]);
        source(&op.source_info).or_else(|| inner.and_then(source))
    });
    StateLabel {
        name: state.name.clone(),
        source: source(&state.source_info),
        ops: ops.collect(),
    }
}

fn nodes(pipeline: &json::Pipeline) -> Vec<NodeLabel> {
    let label = |name: &String, info: &Json| NodeLabel {
        name: name.clone(),
        source: source(info),
    };
    let tables = pipeline
        .tables
        .iter()
        .map(|table| label(&table.name, &table.source_info));
    let conditions = pipeline.conditionals.iter();
    let conditions = conditions.map(|condition| label(&condition.name, &condition.source_info));
    let calls = pipeline
        .action_calls
        .iter()
        .map(|call| label(&call.name, &call.source_info));
    tables.chain(conditions).chain(calls).collect()
}

impl Loader<'_> {
    /// The labels of the parts, in the order in which they were loaded.
    pub fn load_labels(&self) -> LoadResult<Labels> {
        let root = self.root;
        let parsers = self.parsers()?.into_iter();
        let deparsers = self.deparsers()?.into_iter();
        let pipelines = self.pipelines()?.into_iter();
        let names = |action: &json::Action| {
            let params = action.runtime_data.iter();
            params.map(|param| param.name.clone()).collect()
        };
        Ok(Labels {
            errors: root.errors.clone(),
            states: parsers
                .flat_map(|parser| parser.parse_states.iter().map(state))
                .collect(),
            pipelines: pipelines.map(nodes).collect(),
            actions: root
                .actions
                .iter()
                .map(|action| sources(&action.primitives))
                .collect(),
            deparsers: deparsers
                .map(|deparser| sources(&deparser.primitives))
                .collect(),
            calculations: root
                .calculations
                .iter()
                .map(|item| item.name.clone())
                .collect(),
            checksums: root
                .checksums
                .iter()
                .map(|item| item.name.clone())
                .collect(),
            params: root.actions.iter().map(names).collect(),
            fields: Default::default(),
        })
    }
}
