// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A JSON value that stays one until the object that it belongs to is compiled.
//!
//! `serde_json::Value` takes 72 bytes, an empty list of a list 300, and programs come from outside: a value here takes
//! 24 bytes, and a list or an object just what its values take.

use std::fmt::{self, Display, Formatter, Write};
use std::ops::Index;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Json {
    #[default]
    Null,
    Bool(bool),
    Number(Number),
    Text(Box<str>),
    List(Box<[Json]>),
    /// Members by name. The last of those with one name counts.
    Object(Box<[(Box<str>, Json)]>),
}

impl Json {
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else {
            return None;
        };
        let behind = members.partition_point(|(other, _)| &**other <= name);
        let (found, value) = members.get(behind.checked_sub(1)?)?;
        (&**found == name).then_some(value)
    }

    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::List(values) => Some(values),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Number(number) => number.as_u64(),
            _ => None,
        }
    }

    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Number(number) => number.as_i64(),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        *self == Self::Null
    }

    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }
}

/// The member, or null where there is none.
impl Index<&str> for Json {
    type Output = Self;

    fn index(&self, name: &str) -> &Self {
        self.get(name).unwrap_or(&Self::Null)
    }
}

impl PartialEq<&str> for Json {
    fn eq(&self, text: &&str) -> bool {
        self.as_str() == Some(text)
    }
}

impl Display for Json {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => quote(text, f),
            Self::List(values) => {
                f.write_char('[')?;
                for (place, value) in values.iter().enumerate() {
                    f.write_str(if place > 0 { "," } else { "" })?;
                    value.fmt(f)?;
                }
                f.write_char(']')
            }
            Self::Object(members) => {
                f.write_char('{')?;
                for (place, (name, value)) in members.iter().enumerate() {
                    f.write_str(if place > 0 { "," } else { "" })?;
                    quote(name, f)?;
                    f.write_char(':')?;
                    value.fmt(f)?;
                }
                f.write_char('}')
            }
        }
    }
}

fn quote(text: &str, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str(&serde_json::to_string(text).map_err(|_| fmt::Error)?)
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Values)
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Json;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = access.next_element()? {
            reserve(&mut values);
            values.push(value);
        }
        Ok(Json::List(values.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut members: Vec<(Box<str>, Json)> = Vec::new();
        while let Some(member) = access.next_entry()? {
            reserve(&mut members);
            members.push(member);
        }
        members.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(Json::Object(members.into()))
    }
}

/// Room for one value more, and no more in short lists: of lists inside each other all are open at a time.
fn reserve<T>(values: &mut Vec<T>) {
    if values.len() < 4 {
        values.reserve_exact(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{json, Value};

    fn read(text: &str) -> Json {
        serde_json::from_str(text).expect("JSON")
    }

    fn same(own: &Json, other: &Value) -> bool {
        match (own, other) {
            (Json::List(own), Value::Array(other)) => {
                own.len() == other.len() && own.iter().zip(other).all(|(a, b)| same(a, b))
            }
            (Json::Object(own), Value::Object(other)) => {
                own.len() == other.len()
                    && other.iter().all(|(name, value)| {
                        let found = Json::Object(own.clone());
                        found.get(name).is_some_and(|own| same(own, value))
                    })
            }
            _ => {
                own.is_null() == other.is_null()
                    && own.as_bool() == other.as_bool()
                    && own.as_str() == other.as_str()
                    && own.as_u64() == other.as_u64()
                    && own.as_i64() == other.as_i64()
            }
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i32>().prop_map(|quarters| Value::from(f64::from(quarters) / 4.0)),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 60, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_value_is_read_as_serde_json_reads_it(value in any_value()) {
            let text = value.to_string();
            let own = read(&text);
            prop_assert!(same(&own, &serde_json::from_str(&text).expect("JSON")), "{own:?}");
            prop_assert_eq!(read(&own.to_string()), own);
        }
    }

    #[test]
    fn of_members_with_one_name_the_last_counts() {
        let value = read(r#"{"b": 1, "a": 2, "b": 3, "c": 4, "b": 5}"#);
        assert_eq!(value["b"].as_u64(), Some(5));
        assert_eq!(value["a"].as_u64(), Some(2));
        for missing in ["", "aa", "bb", "d"] {
            assert_eq!(value.get(missing), None);
        }
        assert!(value["d"].is_null() && value["a"]["b"].is_null());
    }

    #[test]
    fn a_value_is_small() {
        assert_eq!(size_of::<Json>(), 24);
        assert!(read(&json!({"type": "x"}).to_string())["type"] == "x");
    }
}
