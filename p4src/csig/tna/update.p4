// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Compare and replace: a tag keeps the worst number on the path, and where it was. Apart from v1model because no condition
// compares two fields: the one is subtracted from the other, down to 0.

#ifndef CSIG_TNA_UPDATE_P4
#define CSIG_TNA_UPDATE_P4

#include "packet.p4"
#include "../buckets.p4"

// `excess`: by so much the own number is worse. It stays as it is where the type is not known.
control Update(
        inout csig_compact_t compact,
        inout csig_wide_t wide,
        in bit<4> type,
        in csig_number_t number,
        in bit<1> smaller_is_worse,
        in csig_locator_t locator,
        in compact_locator_t compact_locator,
        inout bit<1> is_known,
        inout csig_number_t excess) {
    Buckets() buckets;
    Hash<csig_number_t>(HashAlgorithm_t.IDENTITY) wide_bits;
    Hash<csig_number_t>(HashAlgorithm_t.IDENTITY) compact_bits;
    Hash<csig_number_t>(HashAlgorithm_t.IDENTITY) bucket_bits;
    Hash<csig_value_t>(HashAlgorithm_t.IDENTITY) value_bits;

    csig_bucket_t bucket = 0;
    csig_number_t own = 0;
    csig_number_t found = 0;

    // The identity "hash" moves parts of headers and numbers: no ALU does that across containers.
    action read_wide() {
        found = wide_bits.get({ 12w0, wide.value });
    }

    action read_compact() {
        found = compact_bits.get({ 27w0, compact.bucket });
    }

    action use_number() {
        own = number;
    }

    action use_bucket() {
        own = bucket_bits.get({ 27w0, bucket });
    }

    action subtract_own() {
        excess = found |-| own;
    }

    action subtract_found() {
        excess = own |-| found;
    }

    action replace_wide() {
        wide.value = value_bits.get({ number[CSIG_VALUE_BITS - 1:0] });
        wide.locator = locator;
    }

    action replace_compact() {
        compact.bucket = bucket;
        compact.locator = compact_locator;
    }

    table replace {
        key = {
            wide.isValid(): exact;
        }
        actions = {
            replace_wide;
            replace_compact;
        }
        const entries = {
            true: replace_wide();
        }
        const default_action = replace_compact();
        size = 1;
    }

    apply {
        if (wide.isValid()) {
            read_wide();
            use_number();
        } else {
            read_compact();
            if (is_known == 1) {
                buckets.apply(type, number[CSIG_VALUE_BITS - 1:0], bucket, is_known);
            }
            use_bucket();
        }
        if (is_known == 1) {
            if (smaller_is_worse == 1) {
                subtract_own();
            } else {
                subtract_found();
            }
        }
        if (excess != 0) {
            replace.apply();
        }
    }
}

#endif
