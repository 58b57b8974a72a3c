# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
# The defaults of ns-2 in the middle of 2001, re-created in Debian's ns-2 2.35. With them ns-2 gives the numbers that the papers' texts quote;
# with 2.35's own it does not (n=45: loss 6.5 instead of 4.6 % without ECN). docs/validation/ns2.md has the effect of each.

# Segments of 1000 bytes on the wire in all, ACKs of 40, windows of at most 100 packets. No SYN exchange, initial window 1.
Agent/TCP set packetSize_ 1000
Agent/TCP set useHeaders_ false
Agent/TCP set window_ 100
Agent/TCP set windowInit_ 1
Agent/TCP set syn_ false
Agent/TCP set delay_growth_ false
Agent/TCPSink set packetSize_ 40

# Timers: a clock of 100 ms, RTO at least 1 s and 6 s before the first measurement.
Agent/TCP set tcpTick_ 0.1
Agent/TCP set minrto_ 1
Agent/TCP set rtxcur_init_ 6
Agent/TCP set rfc2988_ false
Agent/TCP set updated_rttvar_ false

# Window: no limited transmit, halved to whole packets, NewReno without later corrections; CWR on retransmissions too.
Agent/TCP set singledup_ 0
Agent/TCP set precisionReduce_ false
Agent/TCP set bugfix_ss_ 0
Agent/TCP set exitFastRetrans_ false
Agent/TCP set SetCWRonRetransmit_ true
Agent/TCP/Newreno set newreno_changes1_ 0
Agent/TCP/Newreno set partial_window_deflation_ 0
Agent/TCP/Newreno set exit_recovery_fix_ 0

# RED: gentle, gaps of 1/p to 2/p between marks, an ECT packet is marked while the probability is below maxp and dropped beyond.
Queue/RED set gentle_ true
Queue/RED set wait_ true
Queue/RED set use_mark_p_ true
Queue/RED set mean_pktsize_ 1000
Queue/RED set q_weight_ 0.002
Queue/RED set adaptive_ 0
Queue/RED set summarystats_ false
