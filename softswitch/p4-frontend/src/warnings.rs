// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Kinds of warnings by name, and what is done with each kind.
//!
//! The names are those of p4c's catalogue of errors, so that its options mean the same here. A kind that only p4c
//! gives is known too: an option for it is valid and has no effect.

use std::collections::BTreeMap;
use std::str::FromStr;

use crate::span::{FileId, Span};
use crate::suggest::closest;

/// Stands for all kinds in the options.
const ALL: &str = "all";

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Warning { $($(#[$doc])* $kind),* }

        impl Warning {
            /// Every kind.
            pub const KINDS: &'static [Warning] = &[$(Warning::$kind),*];

            /// The name in messages and options.
            pub fn name(self) -> &'static str {
                match self { $(Warning::$kind => $name),* }
            }
        }
    };
}

kinds! {
    /// Hints at the likelihood of a branch that is always or never taken; disabled unless an option or annotation
    /// names it.
    Branch = "branch",
    /// Uses of what is `@deprecated`.
    Deprecated = "deprecated",
    Duplicate = "duplicate",
    /// Entries of a table with one priority.
    DuplicatePriorities = "duplicate-priorities",
    /// Entries of a table that stand in another order than their priorities.
    EntriesOutOfOrder = "entries-out-of-priority-order",
    Expression = "expr",
    Failed = "failed",
    /// Annotations without effect.
    Ignore = "ignore",
    /// A property of a table, or a key of one, that has no effect.
    IgnoreProperty = "ignore-prop",
    /// Empty ranges and field lists.
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

impl Warning {
    fn default_level(self) -> Level {
        match self {
            Warning::Branch => Level::Disabled,
            _ => Level::Warning,
        }
    }
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
                None => "softswitch/docs/compile.md lists them".to_owned(),
            };
            format!("unknown warning '{text}': {hint}")
        })
    }
}

/// The treatment of a warning.
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
    all: Option<Level>,
    named: BTreeMap<Warning, Level>,
    /// Places where `@noWarn` leaves out a kind, by their first byte; the value is one past the last. No two of a
    /// kind overlap.
    quiet: BTreeMap<(Warning, FileId, u32), u32>,
}

impl Levels {
    /// `name` is a kind's, or `all`.
    pub fn set(&mut self, name: &str, level: Level) -> Result<(), String> {
        if name == ALL {
            self.all = Some(level);
        } else {
            self.set_kind(name.parse()?, level);
        }
        Ok(())
    }

    pub(crate) fn set_kind(&mut self, kind: Warning, level: Level) {
        self.named.insert(kind, level);
    }

    /// Leaves out warnings of the kind in `place`; of places in each other the outer one comes first.
    pub(crate) fn silence(&mut self, kind: Warning, place: Span) {
        if !self.is_quiet(kind, place) {
            self.quiet
                .insert((kind, place.file, place.start), place.end);
        }
    }

    /// `span` is the warning's place, if it has one.
    pub fn of(&self, kind: Warning, span: Option<Span>) -> Level {
        if span.is_some_and(|span| self.is_quiet(kind, span)) {
            return Level::Disabled;
        }
        let named = self.named.get(&kind).copied();
        named.or(self.all).unwrap_or_else(|| kind.default_level())
    }

    fn is_quiet(&self, kind: Warning, span: Span) -> bool {
        let first = (kind, span.file, 0);
        let last = (kind, span.file, span.start);
        let before = self.quiet.range(first..=last).next_back();
        before.is_some_and(|(_, &end)| span.end <= end)
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
        assert_eq!(levels.of(Warning::Unused, None), Level::Warning);
        for (name, level) in [
            ("unused", Level::Error),
            ("shadow", Level::Error),
            ("shadow", Level::Warning),
            ("all", Level::Disabled),
        ] {
            levels.set(name, level).expect("a known name");
        }
        assert_eq!(levels.of(Warning::Unused, None), Level::Error);
        assert_eq!(levels.of(Warning::Shadow, None), Level::Warning);
        assert_eq!(levels.of(Warning::Overflow, None), Level::Disabled);
        assert!(levels.set("alle", Level::Error).is_err());
    }

    #[test]
    fn a_place_is_quiet_for_one_kind() {
        let place = |start, end| Span {
            file: FileId(1),
            start,
            end,
        };
        let mut levels = Levels::default();
        for (start, end) in [(10, 20), (12, 14), (30, 40)] {
            levels.silence(Warning::Unused, place(start, end));
        }
        let is_quiet =
            |start, end, kind| levels.of(kind, Some(place(start, end))) == Level::Disabled;
        assert!(is_quiet(10, 20, Warning::Unused));
        assert!(is_quiet(15, 16, Warning::Unused));
        assert!(!is_quiet(15, 16, Warning::Shadow));
        assert!(!is_quiet(19, 21, Warning::Unused));
        assert!(!is_quiet(25, 26, Warning::Unused));
        assert_eq!(levels.of(Warning::Unused, None), Level::Warning);
    }

    #[test]
    fn hints_about_branches_are_given_only_when_asked_for() {
        let mut levels = Levels::default();
        assert_eq!(levels.of(Warning::Branch, None), Level::Disabled);
        levels.set("branch", Level::Warning).expect("a kind");
        assert_eq!(levels.of(Warning::Branch, None), Level::Warning);
    }
}
