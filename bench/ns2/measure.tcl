# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
# Measurements at a bottleneck with RED, and of groups of flows, from the end of the warm-up to the end.

# The interval between two readings of queue and average. At 10 Mb/s 12 packets leave in it.
set sample_interval_s 0.01

# A monitor that counts by flow id, which here is the number of a flow's group. RED keeps its average in `average_unit_bytes`.
proc watch_bottleneck {link red average_unit_bytes} {
    global bottleneck
    set bottleneck(average_unit_bytes) $average_unit_bytes
    set bottleneck(red) $red
    set bottleneck(monitor) [$::ns makeflowmon Fid]
    $::ns attach-fmon $link $bottleneck(monitor)
    set bottleneck(integral) [new Integrator]
    $bottleneck(monitor) set-bytes-integrator $bottleneck(integral)
    foreach name {samples queue queue2 average idle} {
        set bottleneck($name) 0
    }
}

proc sample_queue {} {
    global bottleneck ns
    set bytes [$bottleneck(monitor) set size_]
    incr bottleneck(samples)
    set bottleneck(queue) [expr {$bottleneck(queue) + $bytes}]
    set bottleneck(queue2) [expr {$bottleneck(queue2) + double($bytes) * $bytes}]
    set bottleneck(average) [expr {$bottleneck(average) + [$bottleneck(red) set ave_]}]
    incr bottleneck(idle) [expr {$bytes == 0}]
    $ns after $::sample_interval_s sample_queue
}

proc counters_of {monitor} {
    set values {}
    foreach name {parrivals_ pdepartures_ bdepartures_ pdrops_ pmarks_} {
        lappend values $name [$monitor set $name]
    }
    return $values
}

# The integral of the queue over time up to now, in byte seconds.
proc queue_integral {} {
    global bottleneck
    $bottleneck(integral) newpoint [$::ns now] [$bottleneck(integral) set lasty_]
    return [$bottleneck(integral) set sum_]
}

proc flow_counters {} {
    set all {}
    foreach flow [$::bottleneck(monitor) flows] {
        lappend all [$flow set flowid_] [counters_of $flow]
    }
    return $all
}

# Called when the warm-up ends.
proc begin_measurement {} {
    global bottleneck agents
    set bottleneck(before) [counters_of $bottleneck(monitor)]
    set bottleneck(flows_before) [flow_counters]
    set bottleneck(integral_before) [queue_integral]
    foreach {agent group} [array get agents] {
        set ::acked_before($agent) [$agent set ack_]
        set ::cuts_before($agent) [$agent set ncwndcuts_]
        set ::timeouts_before($agent) [$agent set nrexmit_]
    }
    sample_queue
}

proc share {part whole} {
    return [expr {$whole > 0 ? double($part) / $whole : 0.0}]
}

# The results of one group of flows; goodput is data packets acknowledged, as a rate of their bits on the wire.
proc group_results {group seconds} {
    array set before {parrivals_ 0 pdrops_ 0 pmarks_ 0}
    array set flows_before $::bottleneck(flows_before)
    if {[info exists flows_before($group)]} {
        array set before $flows_before($group)
    }
    array set flows_now [flow_counters]
    array set now $flows_now($group)
    set flows 0
    foreach total {acked cuts timeouts} {
        set $total 0
    }
    foreach {agent its_group} [array get ::agents] {
        if {$its_group == $group} {
            incr flows
            incr acked [expr {[$agent set ack_] - $::acked_before($agent)}]
            incr cuts [expr {[$agent set ncwndcuts_] - $::cuts_before($agent)}]
            incr timeouts [expr {[$agent set nrexmit_] - $::timeouts_before($agent)}]
        }
    }
    set offered [expr {$now(parrivals_) - $before(parrivals_)}]
    set drops [expr {$now(pdrops_) - $before(pdrops_)}]
    return [list flows $flows goodput_bps [expr {double($acked) * 8000 / $seconds / $flows}] acked_pkts $acked \
        offered_pkts $offered dropped_pkts $drops loss [share $drops $offered] \
        marked_pkts [expr {$now(pmarks_) - $before(pmarks_)}] window_cuts $cuts timeouts $timeouts]
}

# The results of the run as names and values.
proc results {rate_bps seconds} {
    global bottleneck
    array set before $bottleneck(before)
    array set now [counters_of $bottleneck(monitor)]
    foreach name [array names now] {
        set delta($name) [expr {$now($name) - $before($name)}]
    }
    set samples $bottleneck(samples)
    set sampled_mean [expr {double($bottleneck(queue)) / $samples}]
    set variance [expr {$bottleneck(queue2) / $samples - $sampled_mean * $sampled_mean}]
    set groups {}
    foreach group [lsort -unique -integer [lmap {agent group} [array get ::agents] {set group}]] {
        lappend groups $::group_names($group) [json_object [group_results $group $seconds]]
    }
    return [list utilisation [expr {double($delta(bdepartures_)) * 8 / $rate_bps / $seconds}] \
        offered_pkts $delta(parrivals_) dropped_pkts $delta(pdrops_) loss [share $delta(pdrops_) $delta(parrivals_)] \
        marked_pkts $delta(pmarks_) \
        mean_queue_bytes [expr {([queue_integral] - $bottleneck(integral_before)) / $seconds}] \
        sd_queue_bytes [expr {$variance > 0 ? sqrt($variance) : 0.0}] \
        mean_average_bytes [expr {$bottleneck(average) / $samples * $bottleneck(average_unit_bytes)}] \
        empty_share [share $bottleneck(idle) $samples] \
        groups [json_object $groups]]
}
