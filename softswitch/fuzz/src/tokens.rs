// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Mutants of P4: tokens and balanced pieces are moved, repeated, left out and exchanged.
//!
//! Three of four mutants have only such changes as the grammar mostly allows, so that they get past the parser.

use std::ops::Range;

use fastrand::Rng;

/// Longer mutants are cut: they only cost time.
const MAX_BYTES: usize = 64 << 10;

const WORDS: [&str; 116] = [
    "abstract",
    "accept",
    "action",
    "actions",
    "apply",
    "bit<1>",
    "bit<8>",
    "bit<32>",
    "bit<0>",
    "bit<65>",
    "bit<2048>",
    "bool",
    "break",
    "const",
    "continue",
    "control",
    "counters",
    "default",
    "default_action",
    "else",
    "entries",
    "enum",
    "error",
    "exact",
    "exit",
    "extern",
    "extract",
    "false",
    "for",
    "header",
    "header_union",
    "if",
    "implementation",
    "in",
    "inout",
    "int<8>",
    "int",
    "isValid()",
    "key",
    "lpm",
    "match_kind",
    "meters",
    "optional",
    "out",
    "package",
    "packet_in",
    "packet_out",
    "parser",
    "priority",
    "range",
    "register",
    "reject",
    "return",
    "select",
    "selector",
    "setInvalid()",
    "setValid()",
    "size",
    "start",
    "state",
    "static_assert",
    "struct",
    "switch",
    "table",
    "ternary",
    "this",
    "transition",
    "true",
    "tuple",
    "type",
    "typedef",
    "value_set",
    "varbit<64>",
    "verify",
    "void",
    "_",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<<",
    ">>",
    "&",
    "|",
    "^",
    "~",
    "!",
    "&&",
    "||",
    "==",
    "!=",
    "<",
    ">",
    "<=",
    ">=",
    "?",
    ":",
    "++",
    "|+|",
    "|-|",
    "&&&",
    "..",
    "...",
    "=",
    ";",
    ",",
    ".",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "@",
    "#",
];
const NUMBERS: [&str; 18] = [
    "0",
    "1",
    "2",
    "7",
    "8",
    "31",
    "32",
    "64",
    "255",
    "256",
    "65535",
    "4294967296",
    "0xffffffffffffffff",
    "-1",
    "8w255",
    "8s127",
    "128w1",
    "340282366920938463463374607431768211456",
];
const OPERATORS: [&str; 7] = ["+", "-", "*", "&", "|", "^", "%"];
/// Beside [`WORDS`], words that are no names.
const TYPES: [&str; 4] = ["bit", "varbit", "string", "list"];
const LINES: [&str; 9] = [
    "\n#define X(a) a a\n",
    "\n#define Y X\n",
    "\n#if 1\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#include <core.p4>\n",
    "\n#undef X\n",
    "\n#line 7 \"x.p4\"\n",
    "\n@name(\"x\") ",
];

pub(crate) fn mutate(data: &[u8], donor: &[u8], rng: &mut Rng) -> Vec<u8> {
    let text = String::from_utf8_lossy(data);
    let other = String::from_utf8_lossy(donor);
    let mut tokens: Vec<&str> = split(&text);
    let others = split(&other);
    if rng.u8(..4) == 0 {
        for _ in 0..1 << rng.u8(..4) {
            change(&mut tokens, &others, rng);
        }
    } else {
        for _ in 0..1 << rng.u8(..3) {
            exchange(&mut tokens, rng);
        }
    }
    let mut mutant = tokens.concat().into_bytes();
    mutant.truncate(MAX_BYTES);
    mutant
}

fn change<'a>(tokens: &mut Vec<&'a str>, others: &[&'a str], rng: &mut Rng) {
    if tokens.is_empty() {
        tokens.extend(others);
        return;
    }
    let at = visible(tokens, rng);
    match rng.u8(..14) {
        0 => drop(tokens.remove(at)),
        1 => tokens[at] = WORDS[rng.usize(..WORDS.len())],
        2 => tokens[at] = NUMBERS[rng.usize(..NUMBERS.len())],
        3 => tokens.insert(at, WORDS[rng.usize(..WORDS.len())]),
        4 => tokens.insert(at, LINES[rng.usize(..LINES.len())]),
        // Another word of the same program: names of the wrong kind, or just another.
        5 | 6 => {
            let from = alike(tokens, tokens[at], rng);
            tokens[at] = tokens[from];
        }
        7 => {
            let other = visible(tokens, rng);
            tokens.swap(at, other);
        }
        8 => drop(tokens.drain(piece(tokens, at))),
        9 => {
            let copy = tokens[piece(tokens, at)].to_vec();
            let times = 1 << rng.u8(..5);
            let to = visible(tokens, rng);
            tokens.splice(to..to, copy.repeat(times));
        }
        10 => {
            let copy = tokens[piece(tokens, at)].to_vec();
            let to = piece(tokens, visible(tokens, rng));
            tokens.splice(to, copy);
        }
        11 | 12 if !others.is_empty() => {
            let from = visible(others, rng);
            let copy = others[piece(others, from)].to_vec();
            tokens.splice(at..at, copy);
        }
        _ => {
            let range = piece(tokens, at);
            tokens.insert(range.end, ")");
            tokens.insert(range.start, "(");
        }
    }
}

/// One change of like for like: a number, a name, an operator, a statement.
fn exchange(tokens: &mut Vec<&str>, rng: &mut Rng) {
    match rng.u8(..8) {
        0 | 1 => {
            if let Some(at) = any(tokens, rng, |tokens, at| is_number(tokens[at])) {
                tokens[at] = NUMBERS[rng.usize(..NUMBERS.len())];
            }
        }
        2..=4 => {
            let name = |tokens: &[&str], at: usize| is_name(tokens[at]);
            if let (Some(at), Some(from)) = (any(tokens, rng, name), any(tokens, rng, name)) {
                tokens[at] = tokens[from];
            }
        }
        5 => {
            let operator = |tokens: &[&str], at: usize| OPERATORS.contains(&tokens[at]);
            if let Some(at) = any(tokens, rng, operator) {
                tokens[at] = OPERATORS[rng.usize(..OPERATORS.len())];
            }
        }
        kind => {
            let Some(from) = any(tokens, rng, starts_statement) else {
                return;
            };
            let statement = piece(tokens, from);
            if kind == 6 {
                tokens.drain(statement);
            } else if let Some(to) = any(tokens, rng, starts_statement) {
                let copy = tokens[statement].to_vec();
                tokens.splice(to..to, copy);
            }
        }
    }
}

/// The place of a token that `fits`, if some draws find one.
fn any(tokens: &[&str], rng: &mut Rng, fits: fn(&[&str], usize) -> bool) -> Option<usize> {
    (0..64)
        .filter(|_| !tokens.is_empty())
        .map(|_| rng.usize(..tokens.len()))
        .find(|&at| fits(tokens, at))
}

fn is_number(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic())
        && !WORDS.contains(&token)
        && !TYPES.contains(&token)
}

/// The token before, space left out, ends a statement or begins a block.
fn starts_statement(tokens: &[&str], at: usize) -> bool {
    let space = |token: &str| token.trim().is_empty();
    let before = tokens[..at].iter().rev().find(|token| !space(token));
    !space(tokens[at]) && tokens[at] != "}" && matches!(before, Some(&("{" | "}" | ";")))
}

/// A token that is not space, if a few draws find one.
fn visible(tokens: &[&str], rng: &mut Rng) -> usize {
    let mut at = rng.usize(..tokens.len());
    for _ in 0..4 {
        if !tokens[at].trim().is_empty() {
            break;
        }
        at = rng.usize(..tokens.len());
    }
    at
}

/// A token that begins with the same kind of character, if a few draws find one.
fn alike(tokens: &[&str], token: &str, rng: &mut Rng) -> usize {
    let kind = |text: &str| text.chars().next().map(class);
    let mut at = rng.usize(..tokens.len());
    for _ in 0..16 {
        if kind(tokens[at]) == kind(token) {
            break;
        }
        at = rng.usize(..tokens.len());
    }
    at
}

/// From an opening bracket to its end; from other tokens to the end of the statement, or just the token.
fn piece(tokens: &[&str], at: usize) -> Range<usize> {
    let mut depth = 0usize;
    for (offset, token) in tokens[at..].iter().enumerate() {
        match *token {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" if depth == 0 => return at..at + offset.max(1),
            "}" | ")" | "]" => {
                depth -= 1;
                let ends = *token == "}" || matches!(tokens[at], "(" | "[");
                if depth == 0 && ends {
                    return at..at + offset + 1;
                }
            }
            ";" | "," if depth == 0 => return at..at + offset + 1,
            _ => {}
        }
    }
    at..at + 1
}

#[derive(PartialEq)]
enum Class {
    Space,
    Digit,
    Word,
    Quote,
    Punctuation,
}

fn class(c: char) -> Class {
    match c {
        _ if c.is_whitespace() => Class::Space,
        '0'..='9' => Class::Digit,
        '"' => Class::Quote,
        _ if c.is_alphanumeric() || c == '_' => Class::Word,
        _ => Class::Punctuation,
    }
}

/// All of the text, in pieces: space, words, numbers, strings, and single characters of punctuation.
fn split(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let kind = class(first);
        let end = match kind {
            Class::Punctuation => Some(first.len_utf8()),
            Class::Quote => rest[1..].find('"').map(|at| at + 2),
            Class::Space => rest.find(|c: char| class(c) != Class::Space),
            Class::Digit | Class::Word => {
                rest.find(|c: char| !matches!(class(c), Class::Digit | Class::Word))
            }
        };
        let (token, after) = rest.split_at(end.unwrap_or(rest.len()));
        tokens.push(token);
        rest = after;
    }
    tokens
}
