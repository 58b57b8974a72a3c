// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

#![no_main]

quench_fuzz::fuzz!(quench_fuzz::OFFLOAD);
