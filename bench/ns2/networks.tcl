# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
# The networks of quench_topologies/papers/declared.py, which 'python -m quench_experiments.comparison.ns2' writes here.
# Times in s, rates in bit/s, depths in packets.
array set networks {
    n1 {rate 10000000.0 delay 0.04 access_rate 100000000.0 access_delay 0.002 minth 15 maxth 45 buffer 90 maxp 0.1 sink_delay 0.002 byte_mode true kind Newreno}
    n2 {rate 500000.0 delay 0.01 access_rate 10000000.0 access_delay 0.002 minth 5 maxth 15 buffer 30 maxp 0.1 loss 0.0}
    g1 {rate 512000.0 delay 0.01 access_rate 10000000.0 access_delay 0.001 buffer 200}
}
