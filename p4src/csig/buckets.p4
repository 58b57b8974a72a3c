// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The buckets of each type for compact tags, in the units of a wide tag, in both programs. A type without one for the number is
// not known: the switch says nothing.

#ifndef CSIG_BUCKETS_P4
#define CSIG_BUCKETS_P4

#include "format.p4"

control Buckets(in bit<4> type, in csig_value_t value, out csig_bucket_t bucket, out bit<1> is_known) {
    @id(0x01000065)
    action use_bucket(@id(1) csig_bucket_t number) {
        bucket = number;
        is_known = 1;
    }

    action use_none() {
        bucket = 0;
        is_known = 0;
    }

    @id(0x02000065)
    table csig_buckets {
        key = {
            type: exact @id(1) @name("type");
            value: range @id(2) @name("value");
        }
        actions = {
            use_bucket;
            @defaultonly use_none;
        }
        const default_action = use_none();
        size = 512;
    }

    apply {
        csig_buckets.apply();
    }
}

#endif
