// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The P4-16 core library, as the language specification (section "P4 core library") declares it.

#ifndef _CORE_P4_
#define _CORE_P4_

error {
    NoError,
    PacketTooShort,         // extract wants more bits than the packet has
    NoMatch,                // no case of a select matches
    StackOutOfBounds,       // a header stack has no such element
    HeaderTooShort,         // a varbit field got more bits than its type holds
    ParserTimeout,          // the parser took longer than the target allows
    ParserInvalidArgument   // the target cannot do a parser operation with this value
}

extern packet_in {
    // Reads a header of fixed size.
    void extract<T>(out T hdr);
    // Reads a header with one varbit field, whose size in bits is given.
    void extract<T>(out T variableSizeHeader, in bit<32> variableFieldSizeInBits);
    // Reads without going forward.
    T lookahead<T>();
    // Goes forward without reading.
    void advance(in bit<32> sizeInBits);
    // The packet's length in bytes; not every target knows it.
    bit<32> length();
}

extern packet_out {
    // Appends a valid header; of a struct, stack or union: all that is valid in it, in order.
    void emit<T>(in T hdr);
}

// Ends parsing with `toSignal` unless `check` holds.
extern void verify(in bool check, in error toSignal);

@noWarn("unused")
action NoAction() {}

match_kind {
    exact,
    ternary,
    lpm
}

// Evaluated by the compiler: compilation fails, with `message`, unless `check` holds.
extern bool static_assert(bool check, string message);
extern bool static_assert(bool check);

#endif
