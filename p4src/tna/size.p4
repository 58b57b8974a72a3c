// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A packet's size as 128 * log2(bytes): a product with it is a sum, where v1model multiplies. One set of rows for all.

#ifndef QUENCH_TNA_SIZE_P4
#define QUENCH_TNA_SIZE_P4

#include "types.p4"

control PacketSize(in bit<16> ip_bytes, out log_t size_code) {
    action set_size_code(@id(1) log_t code) {
        size_code = code;
    }

    table size_class {
        key = {
            ip_bytes: range @id(1) @name("bytes");
        }
        actions = {
            set_size_code;
        }
        default_action = set_size_code(0);
        size = SIZE_CLASSES;
    }

    apply {
        size_class.apply();
    }
}

#endif
