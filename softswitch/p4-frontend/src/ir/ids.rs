// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The numbers of a program's parts.

macro_rules! index {
    ($(#[$doc:meta] $name:ident;)*) => { $(
        #[$doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name { pub fn index(self) -> usize { self.0 as usize } }
    )* };
}

index! {
    /// In [`Program::types`](super::Program::types).
    TypeId;
    /// In [`Program::vars`](super::Program::vars).
    VarId;
    /// In [`Program::functions`](super::Program::functions).
    FunctionId;
    /// In [`Program::actions`](super::Program::actions).
    ActionId;
    /// In [`Program::tables`](super::Program::tables).
    TableId;
    /// In [`Program::parsers`](super::Program::parsers).
    ParserId;
    /// In [`Program::controls`](super::Program::controls).
    ControlId;
    /// In [`Program::externs`](super::Program::externs).
    ExternId;
    /// In [`Program::value_sets`](super::Program::value_sets).
    ValueSetId;
}
