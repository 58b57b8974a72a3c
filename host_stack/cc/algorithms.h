/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0-only) */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/*
 * The window algorithms, each declared once: the library's registry, the loader, the programs for the kernel, the tests
 * and the simulator expand this list.
 *
 * BUILT_IN(name, id, congestion_control): the kernel has it, and its connections use no ECN.
 * PROGRAM(name, id, program, second, ecn, ect, obeys_isq): bpf/<program>.bpf.c brings it into the kernel.
 *
 *   name       as on the command line
 *   id         q_<id>_on_ack() processes an ACK
 *   program    name of the congestion control in the kernel, of at most 15 characters
 *   second     another congestion control of the same BPF object, to which the first may hand connections over; or 0
 *   ecn        what both ends must agree on: enum q_ecn
 *   ect        which packets are ECN-capable: enum q_ect
 *   obeys_isq  1: source quenches reach it, so its packets bear identifications that cannot be guessed
 */
#ifndef QUENCH_ALGORITHMS_H
#define QUENCH_ALGORITHMS_H

#include "q_cc.h"

/* clang-format off */
#define Q_ALGORITHMS(BUILT_IN, PROGRAM)                                                              \
	BUILT_IN("plain", ecn, "reno")                                                               \
	PROGRAM("ecn", ecn, q_ecn, 0, Q_ECN_RFC3168, Q_ECT_NEW_DATA, 0)                              \
	PROGRAM("becn", becn, q_becn, 0, Q_ECN_OFF, Q_ECT_UNAGREED, 1)                               \
	PROGRAM("ecn-becn", ecn_becn, q_ecnbecn, 0, Q_ECN_RFC3168, Q_ECT_NEW_DATA, 1)                \
	PROGRAM("mecn", mecn, q_mecn, 0, Q_ECN_MECN, Q_ECT_NEW_DATA, 0)                              \
	PROGRAM("ecn-mod", ecn_mod, q_ecnmod, "q_ecnmod_echo", Q_ECN_ACCURATE, Q_ECT_ALL, 0)         \
	PROGRAM("dctcp", dctcp, q_dctcp, "q_dctcp_echo", Q_ECN_ACCURATE, Q_ECT_ALL, 0)               \
	PROGRAM("prague", prague, q_prague, 0, Q_ECN_ACCECN, Q_ECT_L4S, 0)
/* clang-format on */

#define Q_NO_ALGORITHM(...)

#ifdef __bpf__
/* Each program includes the source of its algorithm, so nothing is declared but Q_OBEYS_ISQ_<id>. */
#define Q_OBEYS_ISQ_OF(name, id, program, second, ecn, ect, obeys_isq) Q_OBEYS_ISQ_##id = (obeys_isq),
enum { Q_ALGORITHMS(Q_NO_ALGORITHM, Q_OBEYS_ISQ_OF) };
#else
#define Q_DECLARE_ON_ACK(name, id, ...)                                                                                \
	void q_##id##_on_ack(struct q_cc *cc, const struct q_cc_params *params, const struct q_cc_event *event,        \
			     struct q_cc_action *action);
Q_ALGORITHMS(Q_NO_ALGORITHM, Q_DECLARE_ON_ACK)
#endif

#endif /* QUENCH_ALGORITHMS_H */
