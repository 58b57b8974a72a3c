// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `key=value` words.

use std::collections::HashMap;
use std::error::Error;
use std::str::FromStr;

/// The measurement of a role, or a line that says why there is none.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

#[derive(Debug)]
pub struct Arguments(HashMap<String, String>);

impl Arguments {
    pub fn parse(words: impl Iterator<Item = String>) -> Outcome<Self> {
        words
            .map(|word| match word.split_once('=') {
                Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
                None => Err(format!("{word}: write key=value").into()),
            })
            .collect::<Outcome<_>>()
            .map(Self)
    }

    /// A value that has to be given.
    pub fn get<T: FromStr>(&self, key: &str) -> Outcome<T>
    where
        T::Err: Error + 'static,
    {
        self.find(key)?
            .ok_or_else(|| format!("{key}= is missing").into())
    }

    /// A value that may be left out.
    pub fn find<T: FromStr>(&self, key: &str) -> Outcome<Option<T>>
    where
        T::Err: Error + 'static,
    {
        let Some(text) = self.0.get(key) else {
            return Ok(None);
        };
        let value = text
            .parse()
            .map_err(|error| format!("{key}={text}: {error}"))?;
        Ok(Some(value))
    }
}
