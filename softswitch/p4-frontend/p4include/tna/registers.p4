// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Registers. A packet reads and writes each at most once, by one RegisterAction whose `apply` the program gives.

extern Register<T, I> {
    Register(bit<32> size);
    Register(bit<32> size, T initial_value);
    T read(in I index);
    T write(in I index, in T value);
}

// A register cell for each entry of the table with `registers = THIS;`.
extern DirectRegister<T> {
    DirectRegister();
    DirectRegister(T initial_value);
    T read();
    T write(in T value);
}

// A value that the control plane sets and only register actions read.
extern RegisterParam<T> {
    RegisterParam(T initial_value);
    T read();
}

enum MathOp_t {
    MUL,    // x
    SQR,    // x^2
    SQRT,
    DIV,    // 1/x
    RSQR,   // 1/x^2
    RSQRT   // 1/sqrt(x)
}

// A function of the 4 highest bits of x, by a table of 16 rows, scaled: only in register actions.
extern MathUnit<T> {
    // `data`: rows 15 to 0.
    MathUnit(bool invert, int<2> shift, int<6> scale,
             tuple<bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>,
                   bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>, bit<8>> data);
    // factor * op(x)
    MathUnit(MathOp_t op, int factor);
    // (A / B) * op(x)
    MathUnit(MathOp_t op, int A, int B);
    T execute(in T x);
}

extern RegisterAction<T, I, U> {
    RegisterAction(Register<_, _> reg);
    U execute(in I index);
    // At an index that grows with each call: a log.
    U execute_log();
    @synchronous(execute, execute_log)
    abstract void apply(inout T value, @optional out U rv);
    // The results of the two comparisons, as 4 bits.
    U predicate(@optional in bool cmplo, @optional in bool cmphi);
}

extern DirectRegisterAction<T, U> {
    DirectRegisterAction(DirectRegister<T> reg);
    U execute();
    @synchronous(execute)
    abstract void apply(inout T value, @optional out U rv);
    U predicate(@optional in bool cmplo, @optional in bool cmphi);
}
