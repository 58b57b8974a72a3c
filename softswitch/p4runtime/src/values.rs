// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Byte strings and the widths they must fit (specification, "Bytestrings" and "PSA Metadata Translation").

use std::sync::Arc;

use quench_dataplane::control::ControlResult;

use crate::refusal::out_of_range;

/// `SdnPort.SDN_PORT_CPU`: the CPU port in the controller's 32-bit numbering.
const SDN_PORT_CPU: [u8; 4] = [0xff, 0xff, 0xff, 0xfd];

/// The largest value that an error message shows, in bytes.
const MAX_QUOTED: usize = 32;

/// The numbers behind a controller's strings.
pub trait Strings: Send + Sync {
    /// The number, in as many bytes as the data plane has for it; a new string gets one.
    fn number(&self, text: &[u8]) -> ControlResult<Vec<u8>>;
    /// The string of a number.
    fn string(&self, number: &[u8]) -> ControlResult<Vec<u8>>;
}

/// The form of a match field or a parameter for the controller and for the data plane.
#[derive(Clone)]
pub struct ValueType {
    /// The place of the value, for error messages.
    pub what: String,
    /// Width for the controller.
    pub sdn_bits: u32,
    /// Width in the data plane.
    pub bits: u32,
    /// The data plane's number of the CPU port, if the type is a port's.
    pub cpu_port: Option<u32>,
    /// The numbers behind them, where the controller uses strings.
    pub strings: Option<Arc<dyn Strings>>,
}

/// A number without the zeros before it.
fn digits(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|&byte| byte != 0);
    &bytes[start.unwrap_or(bytes.len())..]
}

/// The shortest byte string of a number; zero is one byte.
pub fn canonical(bytes: &[u8]) -> Vec<u8> {
    match digits(bytes) {
        [] => vec![0],
        digits => digits.to_vec(),
    }
}

/// Ones in so many bits.
fn ones(bits: u32) -> Vec<u8> {
    let mut bytes = vec![0xff; bits.div_ceil(8) as usize];
    if let Some(first) = bytes.first_mut() {
        *first >>= (8 - bits % 8) % 8;
    }
    bytes
}

fn bit_length(digits: &[u8]) -> usize {
    digits
        .first()
        .map_or(0, |top| 8 * digits.len() - top.leading_zeros() as usize)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A number as people write it: `0x1f`.
pub fn number(bytes: &[u8]) -> String {
    let text = hex(bytes);
    match text.trim_start_matches('0') {
        "" => "0x0".to_owned(),
        shown => format!("0x{shown}"),
    }
}

/// A byte string for an error message, which stays short however long the string is.
pub fn quoted(raw: &[u8]) -> String {
    match raw.len() {
        len if len > MAX_QUOTED => format!("a value of {len} bytes"),
        _ => format!("0x{}", hex(raw)),
    }
}

impl ValueType {
    fn nbytes(&self) -> usize {
        self.bits.div_ceil(8) as usize
    }

    fn fixed(&self, digits: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; self.nbytes() - digits.len()];
        bytes.extend_from_slice(digits);
        bytes
    }

    /// Ones in all bits, as bytes.
    pub fn max(&self) -> Vec<u8> {
        ones(self.bits)
    }

    /// The controller's canonical byte string of a value of the data plane.
    pub fn encode(&self, value: &[u8]) -> ControlResult<Vec<u8>> {
        if let Some(strings) = &self.strings {
            return strings.string(value);
        }
        let port = self.cpu_port.map(u32::to_be_bytes);
        let is_cpu = port.is_some_and(|port| digits(value) == digits(&port));
        Ok(canonical(if is_cpu { &SDN_PORT_CPU } else { value }))
    }

    /// The same of a mask: of all bits, those that the controller knows.
    pub fn encode_mask(&self, mask: &[u8]) -> Vec<u8> {
        match mask == self.max() && self.bits <= self.sdn_bits {
            true => canonical(&ones(self.sdn_bits)),
            false => canonical(mask),
        }
    }

    fn parse<'a>(&self, raw: &'a [u8]) -> ControlResult<&'a [u8]> {
        if raw.is_empty() {
            return out_of_range(format!(
                "{}: an empty byte string is not a value",
                self.what
            ));
        }
        let digits = digits(raw);
        if bit_length(digits) > self.sdn_bits as usize {
            return out_of_range(format!(
                "{}: {} does not fit in {} bits",
                self.what,
                quoted(raw),
                self.sdn_bits
            ));
        }
        Ok(digits)
    }

    /// The data plane's value of a controller's byte string, in as many bytes as it has bits.
    pub fn decode(&self, raw: &[u8]) -> ControlResult<Vec<u8>> {
        if let Some(strings) = &self.strings {
            return strings.number(raw);
        }
        let digits = self.parse(raw)?;
        let port = self.cpu_port.filter(|_| digits == SDN_PORT_CPU);
        let port = port.map(u32::to_be_bytes);
        let digits = port.as_ref().map_or(digits, |port| self::digits(port));
        if bit_length(digits) > self.bits as usize {
            return out_of_range(format!(
                "{}: {} does not fit the data plane's {} bits",
                self.what,
                number(digits),
                self.bits
            ));
        }
        Ok(self.fixed(digits))
    }

    /// The data plane's mask of a controller's. Bits that no value of the data plane has are left out.
    pub fn decode_mask(&self, raw: &[u8]) -> ControlResult<Vec<u8>> {
        if let Some(strings) = &self.strings {
            return strings.number(raw);
        }
        let digits = self.parse(raw)?;
        let kept = &digits[digits.len().saturating_sub(self.nbytes())..];
        let mut mask = self.fixed(kept);
        for (byte, all) in mask.iter_mut().zip(self.max()) {
            *byte &= all;
        }
        Ok(mask)
    }
}
