# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
# N2: one sender, one receiver, a slow bottleneck, and a link from the router back to the sender that loses packets.
# Usage: ns reverse_loss.tcl [NAME=VALUE]...; prints one line of JSON.

set here [file dirname [file normalize [info script]]]
foreach part {settings options networks measure network} {
    source $here/$part.tcl
}

# Times in s, rates in bit/s, depths in packets, loss as a share.
array set options [read_options [concat $networks(n2) {
    seed 1 ecn 1 start_spread 1 warmup 100 duration 500 trace_window none trace_queue none
}]]

set ns [new Simulator]
seed_run $options(seed)
foreach name {source left right sink} {
    set $name [$ns node]
}
access_link $source $left $options(access_rate) $options(access_delay)
access_link $sink $right $options(access_rate) $options(access_delay)
bottleneck_link $left $right $options(rate) $options(delay) $options(minth) $options(maxth) $options(buffer) $options(maxp) \
    true $options(ecn)

if {$options(loss) > 0} {
    set losses [new ErrorModel]
    $losses unit pkt
    $losses set rate_ $options(loss)
    $losses ranvar [new RandomVariable/Uniform]
    $losses drop-target [new Agent/Null]
    $ns lossmodel $losses $left $source
}

array set group_names [list 1 [expr {$options(ecn) ? "ecn" : "plain"}]]
set tcp [ftp_flow /Newreno $source $sink 1 $options(ecn) [draw_start $options(start_spread)]]
if {$options(trace_window) ne "none"} {
    trace_window $tcp $options(trace_window)
}
if {$options(trace_queue) ne "none"} {
    trace_queue $left $right $options(trace_queue)
}
run_and_print $options(warmup) $options(duration) $options(rate) [list seed $options(seed) ecn $options(ecn) loss_back $options(loss)]
