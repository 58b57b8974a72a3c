// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The port's own number of the type that a tag asks for, in the units of a wide tag. Apart from v1model because the quantities
// are known before: a table chooses.

#ifndef CSIG_TNA_MEASURE_P4
#define CSIG_TNA_MEASURE_P4

#include "packet.p4"

control Measure(
        in csig_compact_t compact,
        in csig_wide_t wide,
        in csig_number_t link_bandwidth,
        in csig_number_t used_bandwidth,
        in csig_number_t used_part,
        in csig_number_t hop_delay,
        in csig_number_t queue_delay,
        in bit<1> has_queue_delay,
        out bit<4> type,
        out csig_number_t number,
        out bit<1> smaller_is_worse,
        out bit<1> is_known) {
    csig_number_t bandwidth;
    csig_number_t part;

    action subtract() {
        bandwidth = link_bandwidth |-| used_bandwidth;
        part = WHOLE_PART |-| used_part;
    }

    action set_bandwidth() {
        type = csig_type_t.BANDWIDTH;
        number = min(bandwidth, CSIG_NUMBER_MAX);
        smaller_is_worse = 1;
        is_known = 1;
    }

    action set_part() {
        type = csig_type_t.PART;
        number = min(part, CSIG_NUMBER_MAX);
        smaller_is_worse = 1;
        is_known = 1;
    }

    action set_hop_delay() {
        type = csig_type_t.HOP_DELAY;
        number = min(hop_delay, CSIG_NUMBER_MAX);
        smaller_is_worse = 0;
        is_known = 1;
    }

    action set_queue_delay() {
        type = csig_type_t.QUEUE_DELAY;
        number = min(queue_delay, CSIG_NUMBER_MAX);
        smaller_is_worse = 0;
        is_known = has_queue_delay;
    }

    action set_unknown() {
        type = 0;
        number = 0;
        smaller_is_worse = 0;
        is_known = 0;
    }

    table quantity {
        key = {
            wide.isValid(): ternary;
            wide.type: ternary;
            compact.type: ternary;
        }
        actions = {
            set_bandwidth;
            set_part;
            set_hop_delay;
            set_queue_delay;
            @defaultonly set_unknown;
        }
        const entries = {
            (true, csig_type_t.BANDWIDTH, _): set_bandwidth();
            (true, csig_type_t.PART, _): set_part();
            (true, csig_type_t.HOP_DELAY, _): set_hop_delay();
            (true, csig_type_t.QUEUE_DELAY, _): set_queue_delay();
            (false, _, 0): set_bandwidth();
            (false, _, 1): set_part();
            (false, _, 2): set_hop_delay();
            (false, _, 3): set_queue_delay();
        }
        const default_action = set_unknown();
        size = 8;
    }

    apply {
        subtract();
        quantity.apply();
    }
}

#endif
