# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
# A dumbbell: flows + plain_flows senders, each over an access link of its own, through one bottleneck to as many receivers.
# N1 by default; with other values MF. Usage: ns dumbbell.tcl [NAME=VALUE]...; prints one line of JSON.

set here [file dirname [file normalize [info script]]]
foreach part {settings options networks measure network} {
    source $here/$part.tcl
}

# ecn=1: `flows` use ECN and the router marks their packets; plain_flows never do. measured=0: the bare simulation, to time
# it. also=SCRIPT: Tcl that changes the settings of 2001, to see the effect of one of them. Times in s, rates in bit/s,
# depths in packets.
array set options [read_options [concat $networks(n1) {
    seed 1 flows 45 plain_flows 0 ecn 1
    start_spread 1 warmup 100 duration 500 trace_window none trace_queue none measured 1 also none
}]]
set measured $options(measured)
if {$options(also) ne "none"} {
    eval $options(also)
}

set ns [new Simulator]
seed_run $options(seed)
set left [$ns node]
set right [$ns node]
bottleneck_link $left $right $options(rate) $options(delay) $options(minth) $options(maxth) $options(buffer) $options(maxp) \
    $options(byte_mode) $options(ecn)

set kind [expr {$options(kind) eq "Tahoe" ? "" : "/$options(kind)"}]
array set group_names [list 1 [expr {$options(ecn) ? "ecn" : "plain"}] 2 plain]
for {set index 0} {$index < $options(flows) + $options(plain_flows)} {incr index} {
    set source [$ns node]
    set sink [$ns node]
    access_link $source $left $options(access_rate) $options(access_delay)
    access_link $sink $right $options(access_rate) $options(sink_delay)
    set group [expr {$index < $options(flows) ? 1 : 2}]
    set tcp [ftp_flow $kind $source $sink $group [expr {$group == 1 && $options(ecn)}] [draw_start $options(start_spread)]]
    if {$index == 0 && $options(trace_window) ne "none"} {
        trace_window $tcp $options(trace_window)
    }
}
if {$options(trace_queue) ne "none"} {
    trace_queue $left $right $options(trace_queue)
}

run_and_print $options(warmup) $options(duration) $options(rate) [list seed $options(seed) flows $options(flows) \
    plain_flows $options(plain_flows) ecn $options(ecn)]
