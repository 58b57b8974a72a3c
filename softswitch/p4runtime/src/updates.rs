// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The updates of a `WriteRequest`.

use prost::encoding::{decode_key, decode_varint, skip_field, DecodeContext, WireType};
use prost::Message;

use crate::messages::{ActionSet, ActionType, Kind, Update};

/// The number of `WriteRequest.updates`.
const UPDATES: u32 = 4;

/// Updates in the order of the request.
#[derive(Default)]
pub struct Updates {
    pub items: Vec<Item>,
    /// The number of them; where it is larger than `items`, there were too many to decode.
    pub count: usize,
}

/// An update, and the number of its bytes.
pub struct Item {
    pub update: Given,
    pub size_bytes: usize,
}

pub enum Given {
    /// One for `entries.rs`.
    Decoded(Box<Update>),
    /// The bytes of any other, and of those that prost does not take: of a known field with another wire type it says
    /// that it is malformed, and protobuf that it is unknown.
    Other(Vec<u8>),
}

/// The bytes are no such message.
#[derive(Debug)]
pub struct Malformed;

impl Updates {
    /// Adds an update.
    pub fn push(&mut self, bytes: &[u8]) {
        self.count += 1;
        self.items.push(Item::of(bytes));
    }
}

impl Item {
    pub fn of(bytes: &[u8]) -> Self {
        let update = match decode(bytes) {
            Some(update) => Given::Decoded(Box::new(update)),
            None => Given::Other(bytes.to_vec()),
        };
        let size_bytes = bytes.len();
        Self { update, size_bytes }
    }
}

/// An update for `entries.rs`.
fn decode(bytes: &[u8]) -> Option<Update> {
    let update = Update::decode(bytes).ok()?;
    match update.entity.as_ref()?.kind.as_ref()? {
        Kind::Table(entry) if !entry.is_default_action => {
            let action = entry.action.as_ref();
            if let Some(ActionType::Set(set)) = action.and_then(|action| action.given.as_ref()) {
                set.decode_set::<ActionSet>()?;
            }
            Some(update)
        }
        Kind::Member(_) => Some(update),
        _ => None,
    }
}

/// The request without its updates, and these, of which there may be so many.
pub fn split(request: &[u8], most: usize) -> Result<(Vec<u8>, Updates), Malformed> {
    let mut header = Vec::new();
    let mut updates = Updates::default();
    let mut rest = request;
    while !rest.is_empty() {
        let field = rest;
        let (tag, wire_type) = decode_key(&mut rest).map_err(|_| Malformed)?;
        if tag == UPDATES && wire_type == WireType::LengthDelimited {
            let length = decode_varint(&mut rest).map_err(|_| Malformed)?;
            let length = usize::try_from(length).map_err(|_| Malformed)?;
            let (update, behind) = rest.split_at_checked(length).ok_or(Malformed)?;
            if updates.count < most {
                updates.push(update);
            } else {
                updates.items.clear();
                updates.count += 1;
            }
            rest = behind;
        } else {
            skip_field(wire_type, tag, &mut rest, DecodeContext::default())
                .map_err(|_| Malformed)?;
            header.extend_from_slice(&field[..field.len() - rest.len()]);
        }
    }
    Ok((header, updates))
}
