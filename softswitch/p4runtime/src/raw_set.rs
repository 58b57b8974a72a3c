// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The bytes of an `ActionProfileActionSet`: only they say whether it has fields that are newer than P4Runtime 1.4.

use prost::bytes::{Buf, BufMut};
use prost::encoding::{
    decode_key, decode_varint, encode_key, encode_varint, skip_field, DecodeContext, WireType,
};
use prost::{DecodeError, Message};

/// Fields as they came. A set that comes again is merged with the first, as protobuf has it of messages: one's fields
/// follow the other's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawSet(Vec<u8>);

/// The last field of P4Runtime 1.4.
const LAST_FIELD: u32 = 3;

impl RawSet {
    pub fn of(set: &impl Message) -> Self {
        Self(set.encode_to_vec())
    }

    /// `None` where a field of another type has a known number.
    pub fn decode_set<M: Message + Default>(&self) -> Option<M> {
        M::decode(&*self.0).ok()
    }

    pub fn has_newer_fields(&self) -> bool {
        let mut rest = &*self.0;
        while !rest.is_empty() {
            let Ok((tag, wire_type)) = decode_key(&mut rest) else {
                return true;
            };
            let context = DecodeContext::default();
            let skipped = skip_field(wire_type, tag, &mut rest, context);
            if tag > LAST_FIELD || skipped.is_err() {
                return true;
            }
        }
        false
    }
}

/// Moves so many bytes.
fn copy(buf: &mut impl Buf, count: u64, to: &mut Vec<u8>) -> Result<(), DecodeError> {
    match usize::try_from(count) {
        Ok(count) if count <= buf.remaining() => {
            to.put(buf.take(count));
            Ok(())
        }
        // As where any other number is cut off.
        _ => Err(decode_varint(&mut &[][..]).expect_err("there is no byte")),
    }
}

impl Message for RawSet {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        buf.put_slice(&self.0);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        encode_key(tag, wire_type, &mut self.0);
        match wire_type {
            WireType::Varint => encode_varint(decode_varint(buf)?, &mut self.0),
            WireType::SixtyFourBit => copy(buf, 8, &mut self.0)?,
            WireType::ThirtyTwoBit => copy(buf, 4, &mut self.0)?,
            WireType::LengthDelimited => {
                let length = decode_varint(buf)?;
                encode_varint(length, &mut self.0);
                copy(buf, length, &mut self.0)?;
            }
            // No field has this type: it is skipped, and its end is noted with its beginning.
            WireType::StartGroup => {
                skip_field(wire_type, tag, buf, context)?;
                encode_key(tag, WireType::EndGroup, &mut self.0);
            }
            WireType::EndGroup => skip_field(wire_type, tag, buf, context)?,
        }
        Ok(())
    }

    fn encoded_len(&self) -> usize {
        self.0.len()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}
