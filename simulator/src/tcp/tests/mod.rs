// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

mod basics;
mod dctcp;
mod handshake;
mod knobs;
mod lab;
mod ns2;
mod properties;
mod recovery;
mod settings;
mod signals;
