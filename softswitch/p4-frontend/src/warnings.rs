// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Kinds of warnings by name, and what is done with each kind.
//!
//! The names are those of p4c's catalogue of errors, so that its options mean the same here. A kind that only p4c gives is
//! known too: an option for it is valid and has no effect.

use std::str::FromStr;

use crate::suggest::closest;

/// Stands for all kinds in the options.
const ALL: &str = "all";

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Warning { $($(#[$doc])* $kind),* }

        impl Warning {
            /// Every kind.
            pub const KINDS: &'static [Warning] = &[$(Warning::$kind),*];

            /// In messages and options.
            pub fn name(self) -> &'static str {
                match self { $(Warning::$kind => $name),* }
            }
        }
    };
}

kinds! {
    /// Hints at the likelihood of a branch. Only p4c gives it.
    Branch = "branch",
    Deprecated = "deprecated",
    Duplicate = "duplicate",
    /// Entries of a table with one priority.
    DuplicatePriorities = "duplicate-priorities",
    /// Entries of a table that stand in another order than their priorities.
    EntriesOutOfOrder = "entries-out-of-priority-order",
    Expression = "expr",
    Failed = "failed",
    Ignore = "ignore",
    /// A property of a table, or a key of one, that has no effect.
    IgnoreProperty = "ignore-prop",
    Invalid = "invalid",
    /// A field of a header that is invalid there, or may be.
    InvalidHeader = "invalid-header",
    /// Entries of a table that cannot match.
    Keys = "keys",
    Legacy = "legacy",
    Mismatch = "mismatch",
    Missing = "missing",
    MultiHeaderExtract = "multi-header-extract",
    /// Arguments of one call that are written and read.
    Ordering = "ordering",
    /// Shifts and literals beyond the width.
    Overflow = "overflow",
    ParserTransition = "parser-transition",
    /// `#warning` and what else the preprocessor finds; p4c leaves it to the C preprocessor.
    Preprocessor = "preprocessor",
    Shadow = "shadow",
    TypeInference = "type-inference",
    /// The element after the last of a stack is read.
    Uninitialized = "uninitialized",
    UninitializedOutParam = "uninitialized-out-param",
    UninitializedUse = "uninitialized-use",
    Unknown = "unknown",
    Unreachable = "unreachable",
    Unsupported = "unsupported",
    Unused = "unused",
}

impl FromStr for Warning {
    type Err = String;

    /// Older versions of p4c have underscores in their names.
    fn from_str(text: &str) -> Result<Self, String> {
        let name = text.replace('_', "-");
        let known = |kind: &&Warning| kind.name() == name;
        Warning::KINDS.iter().find(known).copied().ok_or_else(|| {
            let names = Warning::KINDS.iter().map(|kind| kind.name());
            let hint = match closest(&name, names.chain([ALL])) {
                Some(other) => format!("did you mean '{other}'?"),
                None => "docs/reference/compile.md lists them".to_owned(),
            };
            format!("unknown warning '{text}': {hint}")
        })
    }
}

/// What is done with a warning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// `--Wdisable`.
    Disabled,
    /// `--Wwarn`.
    #[default]
    Warning,
    /// `--Werror`.
    Error,
}

/// The level of each kind. A level given for a kind counts more than that for all; of two for one kind the last counts.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    all: Level,
    named: Vec<(Warning, Level)>,
}

impl Levels {
    /// `name` is a kind's, or `all`.
    pub fn set(&mut self, name: &str, level: Level) -> Result<(), String> {
        if name == ALL {
            self.all = level;
        } else {
            self.named.push((name.parse()?, level));
        }
        Ok(())
    }

    pub fn of(&self, kind: Warning) -> Level {
        let mut named = self.named.iter().rev();
        named
            .find(|(other, _)| *other == kind)
            .map_or(self.all, |&(_, level)| level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_name() {
        for kind in Warning::KINDS {
            assert_eq!(kind.name().parse(), Ok(*kind));
        }
        assert_eq!("uninitialized_use".parse(), Ok(Warning::UninitializedUse));
        assert_eq!(
            "unsued".parse::<Warning>(),
            Err("unknown warning 'unsued': did you mean 'unused'?".to_owned())
        );
    }

    #[test]
    fn a_named_level_goes_before_the_level_of_all() {
        let mut levels = Levels::default();
        assert_eq!(levels.of(Warning::Unused), Level::Warning);
        for (name, level) in [
            ("unused", Level::Error),
            ("shadow", Level::Error),
            ("shadow", Level::Warning),
            ("all", Level::Disabled),
        ] {
            levels.set(name, level).expect("a known name");
        }
        assert_eq!(levels.of(Warning::Unused), Level::Error);
        assert_eq!(levels.of(Warning::Shadow), Level::Warning);
        assert_eq!(levels.of(Warning::Overflow), Level::Disabled);
        assert!(levels.set("alle", Level::Error).is_err());
    }
}
