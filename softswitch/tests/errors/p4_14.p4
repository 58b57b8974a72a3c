// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A program in the older language.
// expect: 7:1: not supported: P4-14; translate the program to P4-16, as p4c's `p4test --std p4-14 --pp OUT.p4 FILE` does

header_type ethernet_t {
    fields {
        dst_addr : 48;
        src_addr : 48;
        ether_type : 16;
    }
}

header ethernet_t ethernet;

parser start {
    extract(ethernet);
    return ingress;
}

control ingress {
}
