// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The sources over a network of which only the delay and the loss are given.

mod config;
mod datagrams;
mod harness;
mod messages;
mod transfers;
mod voip;
mod web;
