// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Compare and replace: a tag keeps the worst number on the path, and where it was.

#ifndef CSIG_UPDATE_P4
#define CSIG_UPDATE_P4

#include "types.p4"

control UpdateCompact(
        inout csig_compact_t tag,
        in csig_value_t value,
        in bit<1> smaller_is_worse,
        in csig_locator_t locator,
        out bit<1> replaced,
        out bit<1> is_known) {
    csig_bucket_t bucket = 0;
    bit<4> type;

    @id(0x01000065)
    action use_bucket(@id(1) csig_bucket_t number) {
        bucket = number;
    }

    // The buckets of each type, in the units of a wide tag. A type without them is not known: the switch says nothing.
    @id(0x02000065)
    table csig_buckets {
        key = {
            type: exact @id(1) @name("type");
            value: range @id(2) @name("value");
        }
        actions = {
            use_bucket;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = 512;
    }

    apply {
        replaced = 0;
        is_known = 0;
        type = (bit<4>) tag.type;
        if (csig_buckets.apply().hit) {
            is_known = 1;
            if (smaller_is_worse == 1 && bucket < tag.bucket || smaller_is_worse == 0 && bucket > tag.bucket) {
                tag.bucket = bucket;
                tag.locator = (bit<7>) locator;
                replaced = 1;
            }
        }
    }
}

control UpdateWide(
        inout csig_wide_t tag,
        in csig_value_t value,
        in bit<1> smaller_is_worse,
        in csig_locator_t locator,
        out bit<1> replaced) {
    apply {
        replaced = 0;
        if (smaller_is_worse == 1 && value < tag.value || smaller_is_worse == 0 && value > tag.value) {
            tag.value = value;
            tag.locator = locator;
            replaced = 1;
        }
    }
}

#endif
