// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The port's own number of the type that a tag asks for, in the units of a wide tag.

#ifndef CSIG_MEASURE_P4
#define CSIG_MEASURE_P4

#include "metadata.p4"

control Measure(
        in bit<4> type,
        in csig_settings_t settings,
        in bit<64> average,
        in time_ns_t delay_ns,
        in depth_bytes_t queue_bytes,
        out csig_value_t value,
        out bit<1> smaller_is_worse,
        out bit<1> is_known) {
    product_t used;
    product_t unused;                 // the part of the window in which the port has not sent, in 2^-20
    product_t number = 0;

    apply {
        is_known = 1;
        smaller_is_worse = 0;
        if (type == csig_type_t.BANDWIDTH || type == csig_type_t.PART) {
            smaller_is_worse = 1;
            used = ((product_t) average * (product_t) settings.byte_time) >> (BYTE_TIME_FRACTION_BITS - CSIG_VALUE_BITS)
                >> settings.window_shift;
            unused = ((product_t) 1 << CSIG_VALUE_BITS) |-| used;
            number = unused;
            if (type == csig_type_t.BANDWIDTH) {
                number = ((product_t) settings.bandwidth * unused) >> CSIG_VALUE_BITS;
            }
        } else if (type == csig_type_t.HOP_DELAY) {
            number = (product_t) delay_ns >> settings.delay_shift;
        } else if (type == csig_type_t.QUEUE_DELAY) {
            number = ((product_t) queue_bytes * (product_t) settings.byte_time) >> BYTE_TIME_FRACTION_BITS
                >> settings.delay_shift;
        } else {
            is_known = 0;
        }
        value = number > (product_t) CSIG_VALUE_MAX ? CSIG_VALUE_MAX : (csig_value_t) number;
    }
}

#endif
