// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Only in parsers, but for Checksum, which deparsers have too.

// The Internet checksum (RFC 1071). In a parser: `add` or `subtract` what a header holds, then `verify` it or keep the rest
// for the deparser. In a deparser: `update`.
extern Checksum {
    Checksum();
    void add<T>(in T data);
    void subtract<T>(in T data);
    bool verify();
    // Subtracts what is extracted from here on, and gives the sum.
    void subtract_all_and_deposit<T>(out T residual);
    bit<16> get();
    // `zeros_as_ones`: a sum of 0 is written as 0xffff (UDP).
    bit<16> update<T>(in T data, @optional in bool zeros_as_ones);
}

// The parser's only counter: 8 bits, signed.
extern ParserCounter {
    ParserCounter();
    void set<T>(in T value);
    // (field rotated right by `rotate`) masked with 2^(mask + 1) - 1, plus `add`.
    void set<T>(in T field, in bit<8> max, in bit<8> rotate, in bit<3> mask, in bit<8> add);
    bool is_zero();
    bool is_negative();
    void increment(in bit<8> value);
    void decrement(in bit<8> value);
}

// The packets that the ingress parser drops first when its buffer is full.
extern ParserPriority {
    ParserPriority();
    void set(in bit<3> prio);
}
