// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Calls of functions, methods and actions.

pub mod arguments;
pub mod call;
pub mod core_library;
pub mod method;
pub mod overload;
pub mod size;
