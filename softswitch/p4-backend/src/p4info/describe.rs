// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Preambles, annotations and documentation.

use num_traits::ToPrimitive;
use quench_p4_frontend::ast::{
    Annotation, AnnotationBody, AnnotationToken, AnnotationTokenKind, Expr,
};

use super::literal::{self, Literal};
use super::message::Message;
use crate::annotation;
use crate::error::{not_supported, Result};

/// The numbers of a message's fields `annotations` and `structured_annotations`.
pub type AnnotationFields = (u32, u32);

/// Fields of `Preamble`.
const PREAMBLE_ANNOTATIONS: AnnotationFields = (4, 6);

/// Annotations that P4Info shows in other fields.
const ELSEWHERE: [&str; 4] = ["name", "id", "brief", "description"];

/// Annotations whose body is a list of expressions; all other bodies are written token by token.
const LISTS: [&str; 2] = ["synchronous", "command_line"];

/// Those that an architecture adds, as far as they stand at objects of the control plane.
pub type Lists = &'static [&'static str];

/// `except`: annotations that the message has fields of its own for.
pub fn preamble(
    lists: Lists,
    id: u32,
    name: &str,
    alias: &str,
    annotations: &[Annotation],
    except: &[&str],
) -> Result<Message> {
    let mut preamble = Message::new();
    preamble
        .int(1, "id", id)
        .text(2, "name", name)
        .text(3, "alias", alias);
    add_annotations(
        lists,
        &mut preamble,
        PREAMBLE_ANNOTATIONS,
        annotations,
        except,
    )?;
    add_documentation(&mut preamble, 5, annotations);
    Ok(preamble)
}

pub fn add_annotations(
    lists: Lists,
    message: &mut Message,
    (plain, structured): AnnotationFields,
    annotations: &[Annotation],
    except: &[&str],
) -> Result<()> {
    for annotation in annotations {
        let name = annotation.name.text.as_str();
        match &annotation.body {
            AnnotationBody::Expressions(items) => {
                let mut list = Message::new();
                for item in items {
                    list.message(1, "expressions", expression(item)?);
                }
                let mut body = named(name);
                if !items.is_empty() {
                    body.message(2, "expression_list", list);
                }
                message.message(structured, "structured_annotations", body);
            }
            AnnotationBody::KeyValues(pairs) => {
                let mut list = Message::new();
                for (key, value) in pairs {
                    let mut pair = Message::new();
                    pair.text(1, "key", &key.text)
                        .message(2, "value", expression(value)?);
                    list.message(1, "kv_pairs", pair);
                }
                let mut body = named(name);
                body.message(3, "kv_pair_list", list);
                message.message(structured, "structured_annotations", body);
            }
            _ if ELSEWHERE.contains(&name) || except.contains(&name) => {}
            AnnotationBody::Unstructured(tokens) if !tokens.is_empty() => {
                let text = format!("@{name}({})", body_text(lists, name, tokens));
                message.repeated_text(plain, "annotations", &text);
            }
            _ => {
                message.repeated_text(plain, "annotations", &format!("@{name}"));
            }
        }
    }
    Ok(())
}

fn named(name: &str) -> Message {
    let mut message = Message::new();
    message.text(1, "name", name);
    message
}

fn body_text(lists: Lists, name: &str, tokens: &[AnnotationToken]) -> String {
    let is_list = LISTS.contains(&name) || lists.contains(&name);
    let mut text = String::new();
    for (position, token) in tokens.iter().enumerate() {
        // Expressions are written as such: `hdr.ipv4.src, 7`.
        let after_dot = position > 0 && tokens[position - 1].text == ".";
        let joined = is_list && (after_dot || token.text == "," || token.text == ".");
        if position > 0 && !joined {
            text.push(' ');
        }
        match token.kind {
            AnnotationTokenKind::String => text.push_str(&quoted(&token.text)),
            _ => text.push_str(&token.text),
        }
    }
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// `Expression` in p4types.proto.
fn expression(expr: &Expr) -> Result<Message> {
    let mut message = Message::new();
    match literal::fold(expr) {
        Some(Literal::Bool(value)) => message.chosen_bool(3, "bool_value", value),
        Some(Literal::Text(text)) => message.repeated_text(1, "string_value", &text),
        Some(Literal::Integer(value)) => match value.to_i64() {
            Some(value) => message.chosen_int(2, "int64_value", value),
            None => {
                return not_supported(
                    expr.span,
                    "a structured annotation with a number of more than 64 bits",
                )
            }
        },
        None => {
            return not_supported(
                expr.span,
                "a structured annotation with more than literals and their sums, products and comparisons",
            )
        }
    };
    Ok(message)
}

/// `@brief` and `@description` as the message's `doc`.
pub fn add_documentation(message: &mut Message, number: u32, annotations: &[Annotation]) {
    let mut doc = Message::new();
    if let Some(text) = annotation::string(annotations, "brief") {
        doc.text(1, "brief", &text);
    }
    if let Some(text) = annotation::string(annotations, "description") {
        doc.text(2, "description", &text);
    }
    if !doc.is_empty() {
        message.message(number, "doc", doc);
    }
}
