# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
# Parts that the topologies share: access links that never drop, a bottleneck with RED one way, endless FTP flows.

# Long enough that only the bottleneck drops.
set access_limit_pkts 10000

# Whether the bottleneck is measured, which takes about as long as the simulation itself.
set measured 1

proc access_link {host router rate_bps delay_s} {
    global ns access_limit_pkts
    $ns duplex-link $host $router $rate_bps $delay_s DropTail
    $ns queue-limit $host $router $access_limit_pkts
    $ns queue-limit $router $host $access_limit_pkts
}

# RED from left to right, drop-tail for the ACKs. Thresholds and buffer in packets of mean_pktsize_; byte_mode measures the queue and
# weighs the probability in bytes.
proc bottleneck_link {left right rate_bps delay_s minth maxth buffer maxp byte_mode ecn} {
    global ns access_limit_pkts
    Queue/RED set thresh_ $minth
    Queue/RED set maxthresh_ $maxth
    Queue/RED set linterm_ [expr {1.0 / $maxp}]
    Queue/RED set mark_p_ $maxp
    Queue/RED set bytes_ $byte_mode
    Queue/RED set queue_in_bytes_ $byte_mode
    Queue/RED set setbit_ $ecn
    $ns simplex-link $left $right $rate_bps $delay_s RED
    $ns simplex-link $right $left $rate_bps $delay_s DropTail
    $ns queue-limit $left $right $buffer
    $ns queue-limit $right $left $access_limit_pkts
    if {$::measured} {
        watch_bottleneck [$ns link $left $right] [[$ns link $left $right] queue] [expr {$byte_mode ? 1 : 1000}]
    }
}

# An endless flow of `group` that starts at `start_s`.
proc ftp_flow {kind source sink group ecn start_s} {
    global ns agents
    set tcp [new Agent/TCP$kind]
    $tcp set ecn_ $ecn
    $tcp set fid_ $group
    set receiver [new Agent/TCPSink[expr {$kind eq "/Sack1" ? $kind : ""}]]
    $ns attach-agent $source $tcp
    $ns attach-agent $sink $receiver
    $ns connect $tcp $receiver
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $start_s "$ftp start"
    set agents($tcp) $group
    return $tcp
}

# A line for every change of a sender's window, which begins with the time and ends with the window in packets.
proc trace_window {tcp path} {
    $tcp attach [open $path w]
    $tcp trace cwnd_
}

# Every event at the bottleneck's queue in ns-2's trace format.
proc trace_queue {left right path} {
    $::ns trace-queue $left $right [open $path w]
}

proc seed_run {seed} {
    global defaultRNG start_draw
    $defaultRNG seed $seed
    set start_draw [new RandomVariable/Uniform]
}

# The start of a flow: uniform over the spread, so that flows are not in step.
proc draw_start {spread_s} {
    return [expr {[$::start_draw value] * $spread_s}]
}

proc run_and_print {warmup_s duration_s rate_bps labels} {
    global ns
    if {$::measured} {
        $ns at $warmup_s begin_measurement
    }
    $ns at $duration_s "finish $rate_bps [expr {$duration_s - $warmup_s}] [list $labels]"
    $ns run
}

proc finish {rate_bps seconds labels} {
    set acked 0
    foreach agent [array names ::agents] {
        incr acked [$agent set ack_]
    }
    lappend labels acked_in_all_pkts $acked
    puts [json_object [expr {$::measured ? [concat $labels [results $rate_bps $seconds]] : $labels}]]
    exit 0
}
