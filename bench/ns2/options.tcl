# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
# Words of the command line, NAME=VALUE, over the defaults of a script; and results as one line of JSON.

# The options of this run: a script's defaults, replaced by those of the command line. A name that has no default is an error.
proc read_options {defaults} {
    array set options $defaults
    foreach word $::argv {
        if {![regexp {^([a-z0-9_]+)=(.+)$} $word -> name value] || ![info exists options($name)]} {
            puts stderr "$::argv0: '$word': want NAME=VALUE with NAME one of [lsort [array names options]]"
            exit 2
        }
        set options($name) $value
    }
    return [array get options]
}

proc json_value {value} {
    if {[string is double -strict $value] || [regexp {^[\[\{]} $value]} {
        return $value
    }
    return "\"$value\""
}

# An object of a list of names and values. A value that begins with a bracket is JSON already.
proc json_object {pairs} {
    set members {}
    foreach {name value} $pairs {
        lappend members "\"$name\": [json_value $value]"
    }
    return "{[join $members {, }]}"
}
