// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The v1model architecture, which BMv2's simple_switch implements.
// Behaviour: https://github.com/p4lang/behavioral-model/blob/main/docs/simple_switch.md
//
// V1MODEL_VERSION, defined before this file is included, chooses the interface: from 20200408 on, counter, meter and
// register have the type of their index as a type parameter, and ports have the type PortId_t.

#ifndef _V1_MODEL_P4_
#define _V1_MODEL_P4_

#include "core.p4"

#ifndef V1MODEL_VERSION
#define V1MODEL_VERSION 20180101
#endif
#if V1MODEL_VERSION < 20180101 || V1MODEL_VERSION > 20200408
#error V1MODEL_VERSION must be from 20180101 to 20200408
#endif

const bit<32> __v1model_version = V1MODEL_VERSION;

match_kind {
    range,
    optional,   // one value, or any
    selector    // part of the hash that an action_selector picks a member by
}

#if V1MODEL_VERSION >= 20200408
typedef bit<9> PortId_t;
#endif

// @alias: the name that simple_switch itself knows a field by.
@metadata
@name("standard_metadata")
struct standard_metadata_t {
#if V1MODEL_VERSION >= 20200408
    PortId_t ingress_port;
    PortId_t egress_spec;
    PortId_t egress_port;
#else
    bit<9> ingress_port;
    bit<9> egress_spec;
    bit<9> egress_port;
#endif
    bit<32> instance_type;
    bit<32> packet_length;      // bytes

    // The queue between ingress and egress: times in microseconds, depths in packets.
    @alias("queueing_metadata.enq_timestamp")
    bit<32> enq_timestamp;
    @alias("queueing_metadata.enq_qdepth")
    bit<19> enq_qdepth;
    @alias("queueing_metadata.deq_timedelta")
    bit<32> deq_timedelta;
    @alias("queueing_metadata.deq_qdepth")
    bit<19> deq_qdepth;

    // Microseconds since the switch started.
    @alias("intrinsic_metadata.ingress_global_timestamp")
    bit<48> ingress_global_timestamp;
    @alias("intrinsic_metadata.egress_global_timestamp")
    bit<48> egress_global_timestamp;
    @alias("intrinsic_metadata.mcast_grp")
    bit<16> mcast_grp;
    @alias("intrinsic_metadata.egress_rid")
    bit<16> egress_rid;

    bit<1> checksum_error;      // 1 after a verify_checksum that failed
    error parser_error;
    @alias("intrinsic_metadata.priority")
    bit<3> priority;
    // A program that reads which queue a packet was in has a v1model.p4 of its own with this line here:
    // @alias("queueing_metadata.qid") bit<5> qid;
}

// ---- Objects ------------------------------------------------------------------------------------------------------

enum CounterType {
    packets,
    bytes,
    packets_and_bytes
}

enum MeterType {
    packets,
    bytes
}

// Results of execute_meter and read (RFC 2697, RFC 2698).
#define V1MODEL_METER_COLOR_GREEN  0
#define V1MODEL_METER_COLOR_YELLOW 1
#define V1MODEL_METER_COLOR_RED    2

#if V1MODEL_VERSION >= 20200408

extern counter<I> {
    counter(bit<32> size, CounterType type);
    void count(in I index);
}

extern meter<I> {
    meter(bit<32> size, MeterType type);
    void execute_meter<T>(in I index, out T result);
}

extern register<T, I> {
    register(bit<32> size);
    @noSideEffects
    void read(out T result, in I index);
    void write(in I index, in T value);
}

#else

extern counter {
    counter(bit<32> size, CounterType type);
    void count(in bit<32> index);
}

extern meter {
    meter(bit<32> size, MeterType type);
    void execute_meter<T>(in bit<32> index, out T result);
}

extern register<T> {
    register(bit<32> size);
    @noSideEffects
    void read(out T result, in bit<32> index);
    void write(in bit<32> index, in T value);
}

#endif

// One counter for each entry of the table with `counters = THIS;`: counts by itself.
extern direct_counter {
    direct_counter(CounterType type);
    void count();
}

// One meter for each entry of the table with `meters = THIS;`.
extern direct_meter<T> {
    direct_meter(MeterType type);
    void read(out T result);
}

// `implementation = THIS;`: entries of the table name members (and, with a selector, groups of members).
extern action_profile {
    action_profile(bit<32> size);
}

enum HashAlgorithm {
    crc32,
    crc32_custom,
    crc16,
    crc16_custom,
    random,
    identity,
    csum16,
    xor16
}

extern action_selector {
    action_selector(HashAlgorithm algorithm, bit<32> size, bit<32> outputWidth);
}

@deprecated("Please use verify_checksum/update_checksum instead.")
extern Checksum16 {
    Checksum16();
    bit<16> get<D>(in D data);
}

// ---- Functions ----------------------------------------------------------------------------------------------------

// Uniform in lo..hi, both included.
extern void random<T>(out T result, in T lo, in T hi);

// Sends `data` to the control plane; `receiver` is ignored.
extern void digest<T>(in bit<32> receiver, in T data);

@deprecated("Please use mark_to_drop(standard_metadata) instead.")
extern void mark_to_drop();

// Sets egress_spec to the drop port and mcast_grp to 0.
@pure
extern void mark_to_drop(inout standard_metadata_t standard_metadata);

// The result is in base..base+max-1; base when max is 0.
@pure
extern void hash<O, T, D, M>(out O result, in HashAlgorithm algo, in T base, in D data, in M max);

// Only in VerifyChecksum: sets checksum_error when `condition` holds and `checksum` is not that of `data`.
extern void verify_checksum<T, O>(in bool condition, in T data, in O checksum, HashAlgorithm algo);

// Only in ComputeChecksum.
@pure
extern void update_checksum<T, O>(in bool condition, in T data, inout O checksum, HashAlgorithm algo);

// The same with what the parser did not extract, after `data`.
extern void verify_checksum_with_payload<T, O>(in bool condition, in T data, in O checksum, HashAlgorithm algo);
@noSideEffects
extern void update_checksum_with_payload<T, O>(in bool condition, in T data, inout O checksum, HashAlgorithm algo);

// ---- Copies of the packet. `index` names the fields of user metadata that are kept: those with @field_list(index) ----

enum CloneType {
    I2E,    // as it came in, to egress
    E2E     // as it leaves, to egress again
}

extern void clone(in CloneType type, in bit<32> session);
extern void clone_preserving_field_list(in CloneType type, in bit<32> session, bit<8> index);
@deprecated("Please use 'clone_preserving_field_list' instead")
extern void clone3<T>(in CloneType type, in bit<32> session, in T data);

// Only in ingress: parse the packet again as it came in.
@deprecated("Please use 'resubmit_preserving_field_list' instead")
extern void resubmit<T>(in T data);
extern void resubmit_preserving_field_list(bit<8> index);

// Only in egress: parse the packet again as the deparser writes it.
@deprecated("Please use 'recirculate_preserving_field_list' instead")
extern void recirculate<T>(in T data);
extern void recirculate_preserving_field_list(bit<8> index);

// Cuts what is sent to this many bytes.
extern void truncate(in bit<32> length);

// End the switch with a message unless `check` holds; p4c's --ndebug leaves them out.
extern void assert(in bool check);
extern void assume(in bool check);

// `{}` in the message stands for the next value.
extern void log_msg(string msg);
extern void log_msg<T>(string msg, in T data);

// ---- The pipeline -------------------------------------------------------------------------------------------------

// H: a struct of headers, header stacks and header unions. M: a struct.

parser Parser<H, M>(
    packet_in b,
    out H parsedHdr,
    inout M meta,
    inout standard_metadata_t standard_metadata);

control VerifyChecksum<H, M>(
    inout H hdr,
    inout M meta);

@pipeline
control Ingress<H, M>(
    inout H hdr,
    inout M meta,
    inout standard_metadata_t standard_metadata);

@pipeline
control Egress<H, M>(
    inout H hdr,
    inout M meta,
    inout standard_metadata_t standard_metadata);

control ComputeChecksum<H, M>(
    inout H hdr,
    inout M meta);

@deparser
control Deparser<H>(
    packet_out b,
    in H hdr);

package V1Switch<H, M>(
    Parser<H, M> p,
    VerifyChecksum<H, M> vr,
    Ingress<H, M> ig,
    Egress<H, M> eg,
    ComputeChecksum<H, M> ck,
    Deparser<H> dep);

#endif
