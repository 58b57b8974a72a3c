// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Bolt's decision about a data packet on its arrival. The first case that fits counts.

#ifndef BOLT_DECISION_P4
#define BOLT_DECISION_P4

#include "tokens.p4"

// Gb/s of the rate that a header names. None or several bits mean 0, which is no drain time that could be raised.
#define GBPS_OF(rate) (rate == 0b00001 ? 32w10 : (rate == 0b00010 ? 32w25 : (rate == 0b00100 ? 32w40 \
    : (rate == 0b01000 ? 32w100 : (rate == 0b10000 ? 32w400 : 0)))))

control Decision(
        inout signal_t signal,
        in port_t port,
        in settings_t settings,
        in depth_bytes_t queue_bytes,
        out bit<1> notify) {
    AddRampUp() add_ramp_up;
    TakeRampUp() take_ramp_up;
    TakeSupply() take_supply;

    bit<1> keeps_inc;

    action write_queue() {
        signal.queue = queue_bytes;
        signal.rate = settings.rate;
    }

    apply {
        notify = 0;
        if (queue_bytes >= settings.threshold_bytes) {
            signal.inc = 0;
            if (signal.dec == 0) {
                write_queue();
                signal.dec = 1;
                notify = settings.src;
            } else {
                // The switch upstream that has notified the sender may have another rate: queue / rate is what counts.
                bit<64> here = (bit<64>) queue_bytes * (bit<64>) GBPS_OF(signal.rate);
                bit<64> upstream = (bit<64>) signal.queue * (bit<64>) GBPS_OF(settings.rate);
                if (here > upstream) {
                    write_queue();
                }
            }
        } else if (settings.pru == 1 && signal.last == 1) {
            // One of the first window, too: the flow has sent nothing that anybody waits for.
            if (signal.first == 0) {
                add_ramp_up.apply(port, settings);
            }
        } else if (signal.inc == 1) {
            keeps_inc = 0;
            if (settings.pru == 1) {
                take_ramp_up.apply(port, keeps_inc);
            }
            if (keeps_inc == 0 && settings.sm == 1) {
                take_supply.apply(port, settings, keeps_inc);
            }
            signal.inc = keeps_inc;
        }
    }
}

#endif
