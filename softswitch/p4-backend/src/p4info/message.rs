// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Protocol buffer messages as trees of numbered and named fields: one tree gives both the text and the binary format.
//!
//! prost writes no text format. prost-reflect does, but needs descriptors of p4info.proto, and with them the P4Runtime
//! project's files and protoc in the build, for the few kinds of field that are written here.
//!
//! Formats: <https://protobuf.dev/programming-guides/encoding/> and
//! <https://protobuf.dev/reference/protobuf/textformat-spec/>.

/// A message; fields may be set in any order and are written by number, as protobuf's own libraries do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    fields: Vec<Field>,
}

#[derive(Clone, Debug, PartialEq)]
struct Field {
    number: u32,
    name: &'static str,
    value: Value,
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    /// `int32`, `int64`; negative numbers take ten bytes.
    Int(i64),
    /// `uint32` in a repeated field: these are packed.
    Packed(Vec<u32>),
    Bool(bool),
    Enum(u32, &'static str),
    Text(String),
    Bytes(Vec<u8>),
    Message(Message),
    /// `google.protobuf.Any`: the message's full name, and the message.
    Any(&'static str, Message),
}

/// The text that `Any` has in front of a name.
const TYPE_URL: &str = "type.googleapis.com";

impl Message {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    fn push(&mut self, number: u32, name: &'static str, value: Value) -> &mut Self {
        self.fields.push(Field {
            number,
            name,
            value,
        });
        self
    }

    /// A number outside a `oneof`: zero is not written.
    pub fn int(&mut self, number: u32, name: &'static str, value: impl Into<i64>) -> &mut Self {
        match value.into() {
            0 => self,
            value => self.push(number, name, Value::Int(value)),
        }
    }

    /// A number inside a `oneof`: zero is written, too.
    pub fn chosen_int(&mut self, number: u32, name: &'static str, value: i64) -> &mut Self {
        self.push(number, name, Value::Int(value))
    }

    pub fn packed(&mut self, number: u32, name: &'static str, values: Vec<u32>) -> &mut Self {
        if values.is_empty() {
            return self;
        }
        self.push(number, name, Value::Packed(values))
    }

    pub fn bool(&mut self, number: u32, name: &'static str, value: bool) -> &mut Self {
        if !value {
            return self;
        }
        self.chosen_bool(number, name, value)
    }

    pub fn chosen_bool(&mut self, number: u32, name: &'static str, value: bool) -> &mut Self {
        self.push(number, name, Value::Bool(value))
    }

    /// The enum value 0 is not written.
    pub fn variant(
        &mut self,
        number: u32,
        name: &'static str,
        (value, label): (u32, &'static str),
    ) -> &mut Self {
        if value == 0 {
            return self;
        }
        self.push(number, name, Value::Enum(value, label))
    }

    pub fn text(&mut self, number: u32, name: &'static str, value: &str) -> &mut Self {
        if value.is_empty() {
            return self;
        }
        self.repeated_text(number, name, value)
    }

    /// One element of a repeated field, or the choice of a `oneof`: may be empty.
    pub fn repeated_text(&mut self, number: u32, name: &'static str, value: &str) -> &mut Self {
        self.push(number, name, Value::Text(value.to_owned()))
    }

    pub fn bytes(&mut self, number: u32, name: &'static str, value: Vec<u8>) -> &mut Self {
        if value.is_empty() {
            return self;
        }
        self.push(number, name, Value::Bytes(value))
    }

    pub fn message(&mut self, number: u32, name: &'static str, value: Message) -> &mut Self {
        self.push(number, name, Value::Message(value))
    }

    /// A message inside of a `google.protobuf.Any`; the text format has it written out, as p4c writes it.
    pub fn any(
        &mut self,
        number: u32,
        name: &'static str,
        kind: &'static str,
        value: Message,
    ) -> &mut Self {
        self.push(number, name, Value::Any(kind, value))
    }

    fn sorted(&self) -> Vec<&Field> {
        let mut fields: Vec<&Field> = self.fields.iter().collect();
        fields.sort_by_key(|field| field.number);
        fields
    }

    /// The binary format.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for field in self.sorted() {
            let tag = |wire_type: u32| u64::from(field.number << 3 | wire_type);
            match &field.value {
                Value::Int(value) => {
                    varint(&mut bytes, tag(0));
                    varint(&mut bytes, *value as u64);
                }
                Value::Bool(value) => {
                    varint(&mut bytes, tag(0));
                    varint(&mut bytes, u64::from(*value));
                }
                Value::Enum(value, _) => {
                    varint(&mut bytes, tag(0));
                    varint(&mut bytes, u64::from(*value));
                }
                Value::Packed(values) => {
                    let mut packed = Vec::new();
                    values
                        .iter()
                        .for_each(|value| varint(&mut packed, u64::from(*value)));
                    delimited(&mut bytes, tag(2), &packed);
                }
                Value::Text(text) => delimited(&mut bytes, tag(2), text.as_bytes()),
                Value::Bytes(value) => delimited(&mut bytes, tag(2), value),
                Value::Message(message) => delimited(&mut bytes, tag(2), &message.encode()),
                Value::Any(kind, message) => {
                    let mut any = Message::new();
                    any.text(1, "type_url", &format!("{TYPE_URL}/{kind}"))
                        .bytes(2, "value", message.encode());
                    delimited(&mut bytes, tag(2), &any.encode());
                }
            }
        }
        bytes
    }

    /// The text format.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        self.write_text(&mut text, 0);
        text
    }

    fn write_text(&self, text: &mut String, depth: usize) {
        let indent = "  ".repeat(depth);
        for Field { name, value, .. } in self.sorted() {
            match value {
                Value::Int(value) => text.push_str(&format!("{indent}{name}: {value}\n")),
                Value::Bool(value) => text.push_str(&format!("{indent}{name}: {value}\n")),
                Value::Enum(_, label) => text.push_str(&format!("{indent}{name}: {label}\n")),
                Value::Packed(values) => {
                    for value in values {
                        text.push_str(&format!("{indent}{name}: {value}\n"));
                    }
                }
                Value::Text(value) => {
                    let value = quoted(value.as_bytes());
                    text.push_str(&format!("{indent}{name}: {value}\n"));
                }
                Value::Bytes(value) => {
                    text.push_str(&format!("{indent}{name}: {}\n", quoted(value)));
                }
                Value::Message(message) => {
                    text.push_str(&format!("{indent}{name} {{\n"));
                    message.write_text(text, depth + 1);
                    text.push_str(&format!("{indent}}}\n"));
                }
                Value::Any(kind, message) => {
                    text.push_str(&format!(
                        "{indent}{name} {{\n{indent}  [{TYPE_URL}/{kind}] {{\n"
                    ));
                    message.write_text(text, depth + 2);
                    text.push_str(&format!("{indent}  }}\n{indent}}}\n"));
                }
            }
        }
    }
}

fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn delimited(bytes: &mut Vec<u8>, tag: u64, content: &[u8]) {
    varint(bytes, tag);
    varint(bytes, content.len() as u64);
    bytes.extend_from_slice(content);
}

fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            b'"' | b'\'' | b'\\' => text.extend(['\\', char::from(byte)]),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Message {
        let mut inner = Message::new();
        inner.text(2, "name", "a\"\u{e9}").int(1, "id", 300);
        let mut message = Message::new();
        message
            .message(2, "inner", inner)
            .int(1, "size", -1)
            .packed(3, "ids", vec![1, 300])
            .bool(4, "off", false)
            .variant(5, "kind", (2, "EXACT"))
            .bytes(6, "value", vec![0, 0xff])
            .message(7, "empty", Message::new());
        message
    }

    #[test]
    fn text_is_by_field_number_and_leaves_defaults_out() {
        assert_eq!(
            sample().to_text(),
            "size: -1\ninner {\n  id: 300\n  name: \"a\\\"\\303\\251\"\n}\nids: 1\nids: 300\nkind: EXACT\n\
             value: \"\\000\\377\"\nempty {\n}\n"
        );
    }

    #[test]
    fn a_message_of_any_type_has_its_name() {
        let mut inner = Message::new();
        inner.int(1, "size", 5);
        let mut message = Message::new();
        message.any(2, "info", "a.B", inner);
        assert_eq!(
            message.to_text(),
            "info {\n  [type.googleapis.com/a.B] {\n    size: 5\n  }\n}\n"
        );
        let mut expected = vec![0x12, 29, 0x0a, 23];
        expected.extend(b"type.googleapis.com/a.B");
        expected.extend([0x12, 2, 0x08, 5]);
        assert_eq!(message.encode(), expected);
    }

    #[test]
    fn binary_is_the_wire_format() {
        let minus_one = [
            0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
        ];
        let inner = [
            0x12, 0x09, 0x08, 0xac, 0x02, 0x12, 0x04, b'a', b'"', 0xc3, 0xa9,
        ];
        let rest = [
            0x1a, 0x03, 1, 0xac, 0x02, 0x28, 2, 0x32, 2, 0, 0xff, 0x3a, 0,
        ];
        let mut expected = minus_one.to_vec();
        expected.extend(inner);
        expected.extend(rest);
        assert_eq!(sample().encode(), expected);
    }
}
