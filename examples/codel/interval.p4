// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// CoDel's control law (RFC 8289, section 4.4): the next signal follows after interval / sqrt(count).

#ifndef CODEL_INTERVAL_P4
#define CODEL_INTERVAL_P4

// A P4 switch has neither roots nor division, so the table has 65536 / sqrt(count). Behind 16 a row stands for several
// counts, by the root of their middle: the pause is at most 13 % off.
control NextInterval(in bit<16> count, in bit<32> interval_us, out bit<48> pause_us) {
    bit<16> part = 0xffff;

    action use_part(bit<16> value) {
        part = value;
    }

    table one_over_root {
        key = {
            count: range @name("count");
        }
        actions = {
            use_part;
        }
        const default_action = use_part(0xffff);
        const entries = {
            1: use_part(65535);
            2: use_part(46341);
            3: use_part(37837);
            4: use_part(32768);
            5: use_part(29309);
            6: use_part(26755);
            7: use_part(24770);
            8: use_part(23170);
            9: use_part(21845);
            10: use_part(20724);
            11: use_part(19760);
            12: use_part(18919);
            13: use_part(18176);
            14: use_part(17515);
            15: use_part(16921);
            16: use_part(16384);
            17 .. 25: use_part(14301);
            26 .. 39: use_part(11496);
            40 .. 60: use_part(9268);
            61 .. 91: use_part(7517);
            92 .. 138: use_part(6111);
            139 .. 208: use_part(4975);
            209 .. 313: use_part(4057);
            314 .. 471: use_part(3308);
            472 .. 708: use_part(2698);
            709 .. 1063: use_part(2202);
            1064 .. 1596: use_part(1797);
            1597 .. 2395: use_part(1467);
            2396 .. 3594: use_part(1198);
            3595 .. 5392: use_part(978);
            5393 .. 8089: use_part(798);
            8090 .. 12135: use_part(652);
            12136 .. 18204: use_part(532);
            18205 .. 27307: use_part(434);
            27308 .. 40962: use_part(355);
            40963 .. 65535: use_part(284);
        }
    }

    apply {
        one_over_root.apply();
        pause_us = (bit<48>) (((bit<64>) interval_us * (bit<64>) part) >> 16);
    }
}

#endif
