# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
# P4's one bottleneck: a server sends files to two clients, each in `sessions` sessions at a time, over a slow link with RED both ways.
# The TCP is ns-2's two-way FullTcp with SACK, as in the paper.
# Usage: ns file_sessions.tcl [NAME=VALUE]...; prints one line of JSON.

set here [file dirname [file normalize [info script]]]
foreach part {settings options networks} {
    source $here/$part.tcl
}

# Times in s, rates in bit/s, depths in packets of 1532 bytes, windows in segments. `pause` is the longest pause between two files of a
# session; sessions begin within the first `start_spread`.
array set options [read_options [concat $networks(g1) {
    seed 1 ecn 1 sessions 12 bytes 1000000 window 20 pause 0.05 start_spread 0.5
    minth 10 maxth 60 linterm 10 wq 0.002 duration 300
}]]
set packet_bytes 1532
Agent/TCP set window_ $options(window)
Agent/TCP/FullTcp set segsize_ [expr {$packet_bytes - 40}]
Agent/TCP/FullTcp set segsperack_ 1
Agent/TCP/FullTcp set close_on_empty_ true
Queue/RED set thresh_ $options(minth)
Queue/RED set maxthresh_ $options(maxth)
Queue/RED set linterm_ $options(linterm)
Queue/RED set mark_p_ [expr {1.0 / $options(linterm)}]
Queue/RED set q_weight_ $options(wq)
Queue/RED set bytes_ true
Queue/RED set queue_in_bytes_ true
Queue/RED set mean_pktsize_ $packet_bytes
Queue/RED set setbit_ $options(ecn)

set ns [new Simulator]
$defaultRNG seed $options(seed)
set draw [new RandomVariable/Uniform]
foreach name {server left right client1 client2} {
    set $name [$ns node]
}
foreach {host router} [list $server $left $client1 $right $client2 $right] {
    $ns duplex-link $host $router $options(access_rate) $options(access_delay) DropTail
    # Long enough that only the bottleneck drops.
    $ns queue-limit $host $router 10000
    $ns queue-limit $router $host 10000
}
$ns duplex-link $left $right $options(rate) $options(delay) RED
$ns queue-limit $left $right $options(buffer)
$ns queue-limit $right $left $options(buffer)
set monitor [$ns makeflowmon Fid]
$ns attach-fmon [$ns link $left $right] $monitor

# Senders that still have data, and all senders so far.
array set sending {}
set senders {}
set files 0

proc start_file {client} {
    global ns server options sending senders
    set sender [new Agent/TCP/FullTcp/Sack]
    set receiver [new Agent/TCP/FullTcp/Sack]
    foreach {agent node} [list $sender $server $receiver $client] {
        $agent set ecn_ $options(ecn)
        $agent set fid_ 1
        $ns attach-agent $node $agent
    }
    $ns connect $sender $receiver
    $receiver listen
    $sender set signal_on_empty_ true
    $sender proc done_data {} "file_sent $sender $client"
    set sending($sender) 1
    lappend senders $sender
    $sender advance-bytes $options(bytes)
}

proc file_sent {sender client} {
    global ns sending options draw files
    if {[info exists sending($sender)]} {
        unset sending($sender)
        incr files
        $ns at [expr {[$ns now] + [$draw value] * $options(pause)}] "start_file $client"
    }
}

proc finish {} {
    global options sending senders monitor files
    set bytes [expr {double($files) * $options(bytes)}]
    set retransmitted 0
    set timeouts 0
    foreach sender $senders {
        incr retransmitted [$sender set nrexmitpack_]
        incr timeouts [$sender set nrexmit_]
        if {[info exists sending($sender)] && [$sender set ack_] > 0} {
            set bytes [expr {$bytes + [$sender set ack_]}]
        }
    }
    puts [json_object [list seed $options(seed) ecn $options(ecn) acked_bytes $bytes files $files \
        crossed_bytes [$monitor set bdepartures_] dropped_pkts [$monitor set pdrops_] marked_pkts [$monitor set pmarks_] \
        retransmitted_pkts $retransmitted timeouts $timeouts]]
    exit 0
}

foreach client [list $client1 $client2] {
    for {set session 0} {$session < $options(sessions)} {incr session} {
        $ns at [expr {[$draw value] * $options(start_spread)}] "start_file $client"
    }
}
$ns at $options(duration) finish
$ns run
