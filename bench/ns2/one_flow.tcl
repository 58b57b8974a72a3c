# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
# One flow through a short drop-tail queue: nothing is random, so two implementations of the same TCP have the same window
# at every moment. Usage: ns one_flow.tcl trace_window=FILE [NAME=VALUE]...; FILE gets a line for each change, which begins
# with the time and ends with the window.

set here [file dirname [file normalize [info script]]]
foreach part {settings options measure network} {
    source $here/$part.tcl
}

# Times in s, rates in bit/s, the buffer in packets.
array set options [read_options {
    trace_window /dev/stdout kind Newreno rate 1e6 delay 0.04 access_rate 10e6 access_delay 0.002 buffer 10 start 0.0 duration 60
}]

set ns [new Simulator]
foreach name {source left right sink} {
    set $name [$ns node]
}
access_link $source $left $options(access_rate) $options(access_delay)
access_link $sink $right $options(access_rate) $options(access_delay)
$ns duplex-link $left $right $options(rate) $options(delay) DropTail
# Drop-tail of ns-2 drops the packet that would fill the limit; RED, and ours, the one after it.
$ns queue-limit $left $right [expr {$options(buffer) + 1}]
$ns queue-limit $right $left $access_limit_pkts

set tcp [ftp_flow /$options(kind) $source $sink 1 0 $options(start)]
trace_window $tcp $options(trace_window)
$ns at $options(duration) "exit 0"
$ns run
