// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Limits on the size of a program. A program beyond one gets an error with its place; the compiler ends within
//! seconds for each program below all of them.
//!
//! `softswitch/docs/compile.md` lists them. Those of the packet's state are the data plane's own.

/// The size of one file.
pub const MAX_FILE_BYTES: u64 = 64 << 20;
pub const MAX_INCLUDE_DEPTH: usize = 64;
/// After macro expansion.
pub const MAX_TOKENS: usize = 4_000_000;
/// Macro calls in the arguments of macro calls.
pub const MAX_MACRO_DEPTH: usize = 100;
/// The depth of the expression of an `#if`.
pub const MAX_CONDITION_DEPTH: usize = 100;

/// Nesting of expressions, statements and types together. It bounds the stack that the compiler's passes need.
pub const MAX_NESTING: usize = 256;
/// Operators or elements in a row that each make the tree one deeper.
pub const MAX_CHAIN: usize = 1024;
/// Levels of an expression's tree.
pub const MAX_HEIGHT: usize = 512;
/// After so many syntax errors the parser ignores the rest of the file.
pub const MAX_SYNTAX_ERRORS: usize = 20;
/// The digits of one number.
pub const MAX_DIGITS: usize = 4096;

/// The width of `bit`, `int` and `varbit`, and of literals.
pub const MAX_WIDTH_BITS: u32 = 2048;
/// The width of an `int` without a width, while constants are folded.
pub const MAX_INT_BITS: u64 = 1 << 16;
pub const MAX_STRING_BYTES: usize = 1 << 20;
/// Structs in structs, and type arguments in type arguments.
pub const MAX_TYPE_DEPTH: usize = 64;
/// The name of a type, with all type arguments.
pub const MAX_TYPE_NAME_BYTES: usize = 1 << 14;
/// The fields of one type, those of its members and elements included.
pub const MAX_FIELDS: u64 = 1 << 15;
/// Elements of one header stack.
pub const MAX_STACK_ELEMENTS: u32 = 4096;
/// Parsers and controls, each as often as it is instantiated.
pub const MAX_INSTANCES: usize = 4096;
/// Parsers and controls inside each other.
pub const MAX_INSTANCE_DEPTH: usize = 64;

/// Statements, calls and parts of expressions, once every call is replaced by what it calls.
pub const MAX_OPERATIONS: usize = 1 << 19;
/// Calls inside each other.
pub const MAX_CALL_DEPTH: usize = 128;
/// Levels of an expression in the output.
pub const MAX_OUTPUT_HEIGHT: usize = 480;
/// The most that a parser may look ahead.
pub const MAX_LOOKAHEAD_BITS: u32 = 1 << 16;
/// Values with masks of one `select` case, into which ranges are taken apart.
pub const MAX_CASE_PATTERNS: usize = 4096;
/// Headers of a packet, elements of stacks included.
pub const MAX_HEADERS: usize = 4096;
/// Headers, metadata and variables of a packet.
pub const MAX_STATE_BITS: u64 = 8 * (64 << 10);

/// The length of a source line in a diagnostic or in the output.
pub const MAX_SHOWN_CHARS: usize = 240;
