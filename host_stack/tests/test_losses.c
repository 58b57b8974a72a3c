/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Reactions to losses and timeouts, and their undoing. */
#include "cc_lab.h"

static void loss_halves_and_recovery_does_not_grow(void **state)
{
	(void)state;
	FOR_EACH(algo, window_algos)
	{
		struct lab lab;

		lab_start(&lab, algo, 20, 1);
		lab.event.flags |= Q_EV_LOSS | Q_EV_IN_RECOVERY;
		lab_process(&lab);
		assert_int_equal(lab.action.reacted, Q_SIG_LOSS);
		assert_int_equal(lab.action.queue_cwr, 0);
		assert_int_equal(lab_cwnd(&lab), 10);
		lab_round_trip(&lab);
		assert_int_equal(lab.cc.cwnd_q24, 10 * Q_CWND_ONE);
		lab.event.flags &= (q_u8)~Q_EV_IN_RECOVERY;
		lab_round_trip(&lab);
		assert_true(lab.cc.cwnd_q24 > 10 * Q_CWND_ONE);
	}
}

static void timeout_restarts_from_one_packet(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "ecn-becn", 20, 1);
	q_cc_on_rto(&lab.cc, &lab.params, &lab.event, &lab.action);
	assert_int_equal(lab.action.reacted, Q_SIG_RTO);
	assert_int_equal(lab_cwnd(&lab), 1);
	assert_int_equal(lab_ssthresh(&lab), 10);
	/* The same packet once more: the threshold stays. */
	q_cc_on_rto(&lab.cc, &lab.params, &lab.event, &lab.action);
	assert_int_equal(lab_ssthresh(&lab), 10);
	/* Progress, then another one: now it is a new event, though in the same window of data. */
	lab_ack(&lab, 5, RTT_US);
	assert_int_equal(lab_cwnd(&lab), 6);
	q_cc_on_rto(&lab.cc, &lab.params, &lab.event, &lab.action);
	assert_int_equal(lab_cwnd(&lab), 1);
	assert_int_equal(lab_ssthresh(&lab), 10);
}

static void timeout_in_a_reduced_window_keeps_the_threshold(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "becn", 20, 1);
	lab.event.isq_kind = Q_ISQ_DROPPED;
	lab_process(&lab);
	q_cc_on_rto(&lab.cc, &lab.params, &lab.event, &lab.action);
	assert_int_equal(lab_cwnd(&lab), 1);
	assert_int_equal(lab_ssthresh(&lab), 10);
}

static void undo_restores_a_loss_but_never_a_signal_of_the_network(void **state)
{
	struct lab lab;

	(void)state;
	lab_start(&lab, "ecn-becn", 20, 1);
	lab.event.flags |= Q_EV_LOSS;
	lab_process(&lab);
	assert_int_equal(q_cc_undo(&lab.cc), 1);
	assert_int_equal(lab_cwnd(&lab), 20);
	assert_int_equal(q_cc_undo(&lab.cc), 0);

	lab_start(&lab, "ecn-becn", 20, 1);
	q_cc_on_rto(&lab.cc, &lab.params, &lab.event, &lab.action);
	assert_int_equal(q_cc_undo(&lab.cc), 1);
	assert_int_equal(lab_cwnd(&lab), 20);

	lab_start(&lab, "ecn-becn", 20, 1);
	lab.event.isq_kind = Q_ISQ_MARKED;
	lab_process(&lab);
	assert_int_equal(q_cc_undo(&lab.cc), 0);
	assert_int_equal(lab_cwnd(&lab), 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loss_halves_and_recovery_does_not_grow),
		cmocka_unit_test(timeout_restarts_from_one_packet),
		cmocka_unit_test(timeout_in_a_reduced_window_keeps_the_threshold),
		cmocka_unit_test(undo_restores_a_loss_but_never_a_signal_of_the_network),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
