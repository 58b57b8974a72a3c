// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Copies of packets: their time, their destination, and the timer of periodic ones. Apart from v1model because a mirror
// session makes the copy, and the deparser its header.

#ifndef QUENCH_TNA_CPU_COPY_P4
#define QUENCH_TNA_CPU_COPY_P4

#include "types.p4"

// Time since the switch's start in units of 1024 ns, 48 bits: the microseconds of packet_in.
control Clock(in time_ns_t now_ns, out bit<16> high, out bit<32> low) {
    Hash<bit<16>>(HashAlgorithm_t.IDENTITY) high_bits;
    Hash<bit<32>>(HashAlgorithm_t.IDENTITY) low_bits;

    // The identity "hash" shifts: no ALU does that across containers.
    action read_high() {
        high = high_bits.get({ 10w0, TIME_HIGH_OF(now_ns) });
    }

    action read_low() {
        low = low_bits.get({ TIME_LOW_OF(now_ns) });
    }

    apply {
        read_high();
        read_low();
    }
}

// The destination of a copy that causes a source quench: the controller, or the recirculation port.
control AddressCopy(
        in bit<1> isq_in_dataplane,
        in bool is_ipv6,
        in isq_format_t isq_format,
        in bit<4> ihl,
        out kind_t kind,
        out MirrorId_t session) {
    action send(kind_t copy_kind, MirrorId_t copy_session) {
        kind = copy_kind;
        session = copy_session;
    }

    // The first entry that matches decides.
    table destination {
        key = {
            isq_in_dataplane: ternary;
            is_ipv6: ternary;
            isq_format: ternary;
            ihl: ternary;
        }
        actions = {
            send;
        }
        const entries = {
            (0, _, _, _): send(kind_t.CPU_COPY, CPU_SESSION);
            (1, false, isq_format_t.ICMP, 5): send(kind_t.ISQ, ISQ_SESSIONS + 5);
            (1, false, isq_format_t.ICMP, 6): send(kind_t.ISQ, ISQ_SESSIONS + 6);
            (1, false, isq_format_t.ICMP, 7): send(kind_t.ISQ, ISQ_SESSIONS + 7);
            (1, false, isq_format_t.ICMP, 8): send(kind_t.ISQ, ISQ_SESSIONS + 8);
            (1, false, isq_format_t.ICMP, 9): send(kind_t.ISQ, ISQ_SESSIONS + 9);
            (1, false, isq_format_t.ICMP, 10): send(kind_t.ISQ, ISQ_SESSIONS + 10);
            (1, false, isq_format_t.ICMP, 11): send(kind_t.ISQ, ISQ_SESSIONS + 11);
            (1, false, isq_format_t.ICMP, 12): send(kind_t.ISQ, ISQ_SESSIONS + 12);
            (1, false, isq_format_t.ICMP, 13): send(kind_t.ISQ, ISQ_SESSIONS + 13);
            (1, false, isq_format_t.ICMP, 14): send(kind_t.ISQ, ISQ_SESSIONS + 14);
            (1, false, isq_format_t.ICMP, 15): send(kind_t.ISQ, ISQ_SESSIONS + 15);
            (1, false, _, 5): send(kind_t.CNP, CNP_SESSIONS + 5);
            (1, false, _, 6): send(kind_t.CNP, CNP_SESSIONS + 6);
            (1, false, _, 7): send(kind_t.CNP, CNP_SESSIONS + 7);
            (1, false, _, 8): send(kind_t.CNP, CNP_SESSIONS + 8);
            (1, false, _, 9): send(kind_t.CNP, CNP_SESSIONS + 9);
            (1, false, _, 10): send(kind_t.CNP, CNP_SESSIONS + 10);
            (1, false, _, 11): send(kind_t.CNP, CNP_SESSIONS + 11);
            (1, false, _, 12): send(kind_t.CNP, CNP_SESSIONS + 12);
            (1, false, _, 13): send(kind_t.CNP, CNP_SESSIONS + 13);
            (1, false, _, 14): send(kind_t.CNP, CNP_SESSIONS + 14);
            (1, false, _, 15): send(kind_t.CNP, CNP_SESSIONS + 15);
        }
        const default_action = send(kind_t.CNP, IPV6_CNP_SESSION);
        size = 23;
    }

    apply {
        destination.apply();
    }
}

// Whether the next periodic copy of a queue is due. An interval of 0 means never. p4c does not see that `deadline` is written
// before the RegisterAction reads it.
@noWarn("uninitialized-use")
control Timer(in ports_and_queue_t ports_and_queue, in bit<32> now, in bit<32> interval, out bit<1> due) {
    Register<bit<32>, queue_index_t>(MAX_QUEUES, 0) last;

    bit<32> deadline = 0;

    // The second comparison: the clock has wrapped, as it does every 73 minutes.
    RegisterAction<bit<32>, queue_index_t, bit<1>>(last) check = {
        void apply(inout bit<32> value, out bit<1> is_due) {
            is_due = 0;
            if (value <= deadline || value > now) {
                is_due = 1;
                value = now;
            }
        }
    };

    action subtract() {
        deadline = now - interval;
    }

    action compare() {
        due = check.execute(QUEUE_INDEX_OF(ports_and_queue));
    }

    apply {
        due = 0;
        subtract();
        if (interval != 0) {
            compare();
        }
    }
}

#endif
