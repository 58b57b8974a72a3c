// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The delays, in the port's unit. Apart from v1model because no ALU multiplies, or shifts by a variable.

#ifndef CSIG_TNA_DELAY_P4
#define CSIG_TNA_DELAY_P4

#include "types.p4"

// The time between two of the clock, less than 4.29 s.
control HopDelay(in time32_ns_t from_ns, in time_ns_t to_ns, in bit<8> delay_shift, out csig_number_t delay) {
    Hash<time32_ns_t>(HashAlgorithm_t.IDENTITY) low_bits;

    // The identity "hash" shortens: no ALU does that across containers.
    action read_clock() {
        delay = low_bits.get({ to_ns[31:0] });
    }

    action subtract() {
        delay = delay - from_ns;
    }

    action shift1() { delay = delay >> 1; }
    action shift2() { delay = delay >> 2; }
    action shift3() { delay = delay >> 3; }

    table shift_by_ones {
        key = {
            delay_shift[1:0]: exact @name("ones");
        }
        actions = {
            shift1;
            shift2;
            shift3;
            @defaultonly NoAction;
        }
        const entries = {
            1: shift1();
            2: shift2();
            3: shift3();
        }
        const default_action = NoAction();
        size = 3;
    }

    action shift4() { delay = delay >> 4; }
    action shift8() { delay = delay >> 8; }
    action shift12() { delay = delay >> 12; }
    action shift16() { delay = delay >> 16; }
    action shift20() { delay = delay >> 20; }
    action shift24() { delay = delay >> 24; }
    action shift28() { delay = delay >> 28; }
    action shift_all() { delay = 0; }

    table shift_by_fours {
        key = {
            delay_shift[7:2]: exact @name("fours");
        }
        actions = {
            shift4;
            shift8;
            shift12;
            shift16;
            shift20;
            shift24;
            shift28;
            NoAction;
            @defaultonly shift_all;
        }
        const entries = {
            0: NoAction();
            1: shift4();
            2: shift8();
            3: shift12();
            4: shift16();
            5: shift20();
            6: shift24();
            7: shift28();
        }
        const default_action = shift_all();
        size = 8;
    }

    apply {
        read_clock();
        subtract();
        shift_by_ones.apply();
        shift_by_fours.apply();
    }
}

// The time that the link needs for the cells of a queue: a product, as the sum of those of two digits. The control plane writes
// a row for each value of each digit, rounded to the nearest number: so the sum is within one unit.
control QueueDelay(in link_t link, in depth_t cells, out csig_number_t delay, out bit<1> is_known) {
    csig_number_t high_delay = 0;
    bit<1> has_low;
    bit<1> has_high;

    action use_low(@id(1) csig_number_t number) {
        delay = number;
        has_low = 1;
    }

    action no_low() {
        delay = 0;
        has_low = 0;
    }

    table low_cells {
        key = {
            link: exact @id(1) @name("link");
            LOW_CELLS_OF(cells): exact @id(2) @name("cells");
        }
        actions = {
            use_low;
            @defaultonly no_low;
        }
        const default_action = no_low();
        size = LOW_CELLS_ROWS;
    }

    action use_high(@id(1) csig_number_t number) {
        high_delay = number;
        has_high = 1;
    }

    action no_high() {
        has_high = 0;
    }

    table high_cells {
        key = {
            link: exact @id(1) @name("link");
            HIGH_CELLS_OF(cells): exact @id(2) @name("cells");
        }
        actions = {
            use_high;
            @defaultonly no_high;
        }
        const default_action = no_high();
        size = HIGH_CELLS_ROWS;
    }

    action add() {
        delay = delay |+| high_delay;
        is_known = has_low & has_high;
    }

    apply {
        low_cells.apply();
        high_cells.apply();
        add();
    }
}

#endif
