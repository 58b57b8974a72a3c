// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Compare and replace: a tag keeps the worst number on the path, and where it was.

#ifndef CSIG_UPDATE_P4
#define CSIG_UPDATE_P4

#include "types.p4"
#include "buckets.p4"

control UpdateCompact(
        inout csig_compact_t tag,
        in csig_value_t value,
        in bit<1> smaller_is_worse,
        in csig_locator_t locator,
        out bit<1> replaced,
        out bit<1> is_known) {
    Buckets() buckets;

    csig_bucket_t bucket;

    apply {
        replaced = 0;
        buckets.apply((bit<4>) tag.type, value, bucket, is_known);
        if (is_known == 1
                && (smaller_is_worse == 1 && bucket < tag.bucket || smaller_is_worse == 0 && bucket > tag.bucket)) {
            tag.bucket = bucket;
            tag.locator = (compact_locator_t) locator;
            replaced = 1;
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
