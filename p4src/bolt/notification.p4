// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// A source notification (SRC): the header of the packet that found the long queue, turned round, without its payload.
//
// It is made of a clone in egress, recirculated, and routed to the sender as any packet is. So it waits as what it is, 41
// bytes, and not as the packet that it was; the tables of routes say where the sender is; and the port by which it leaves
// pays for it with tokens. A clone for the port that the packet came by would save that pass, but would wait with all of its
// bytes, which the other packets of that port would find in its queue.

#ifndef BOLT_NOTIFICATION_P4
#define BOLT_NOTIFICATION_P4

#include "metadata.p4"

control MakeNotification(inout headers_t hdr, in depth_bytes_t queue_bytes, in bolt_rate_t rate) {
    ipv4_address_t sender;
    ports_t ports;

    action turn_round() {
        sender = hdr.ipv4.source;
        hdr.ipv4.source = hdr.ipv4.destination;
        hdr.ipv4.destination = sender;
        hdr.ipv4.ecn = ECN_NOT_ECT;
        hdr.ipv4.total_length = IPV4_BYTES + TRANSPORT_BYTES + SIGNAL_BYTES;
        hdr.ipv4.identification = 0;
        hdr.ipv4.flags = IPV4_DONT_FRAGMENT;
        hdr.ipv4.fragment_offset = 0;
        hdr.ipv4.ttl = ISQ_TTL;
        ports = PORTS_OF(hdr.transport);
        hdr.transport.first_octet = ports[15:8];
        hdr.transport.rest[55:32] = ports[7:0] ++ ports[31:16];
    }

    action notify() {
        hdr.signal.rate = rate;
        hdr.signal.ai = 0;
        hdr.signal.dec = 1;
        hdr.signal.inc = 0;
        hdr.signal.first = 0;
        hdr.signal.last = 0;
        hdr.signal.fin = 0;
        hdr.signal.src = 1;
        hdr.signal.chop = 0;
        hdr.signal.nack = 0;
        hdr.signal.ack = 0;
        hdr.signal.data = 0;
        hdr.signal.queue = queue_bytes;
    }

    apply {
        turn_round();
        notify();
    }
}

#endif
