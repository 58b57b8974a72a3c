-- SPDX-FileCopyrightText: 2026 The Quench Authors
-- SPDX-License-Identifier: Apache-2.0

-- Wireshark's view of Quench: source quenches, CNPs of RoCEv2, Multilevel ECN, CSIG tags, and packet-ins and packet-outs on
-- P4Runtime connections.
-- `quench wireshark` installs this file. Wireshark 4.0 or later.

local MARKED_BIT = 0x80
local LEVEL_MASK = 0x7f
local PAUSE_BIT, PAUSE_MASK = 0x8000, 0x7fff
local SOURCE_QUENCH = 4 -- RFC 792
local IPV6_SOURCE_QUENCH = 100 -- an error for experiments (RFC 4443)
local MECN_EXID = 0x4d45 -- RFC 6994; neither is registered with IANA
local CSIG_EXID = 0x4353
local CNP_OPCODE, BTH_BYTES = 0x81, 12 -- InfiniBand Architecture, annex A17
local FAST_CNP_OPTION = 0x1e -- for experiments (RFC 4727)
local NOTHING, IPV4_MAPPED = ("00"):rep(16), ("00"):rep(10) .. "FFFF"
local SYN, ACK, ECE, CWR = 0x02, 0x10, 0x40, 0x80

-- ---- Source quenches (the last word of their ICMP header) and Multilevel ECN

local quench = Proto("quench", "Quench congestion notification")

local LOST = { [0] = "dropped", [1] = "marked" }
-- Of the IP header, by Durresi et al., section 2.
local CODEPOINTS = { [0] = "not ECN-capable", [1] = "incipient congestion", [2] = "no congestion", [3] = "moderate congestion" }
-- CWR and ECE of a Multilevel ECN connection, by table 2 of the same paper.
local ECHOES = { [0] = "window reduced", [1] = "no congestion", [2] = "incipient congestion", [3] = "moderate congestion" }

local isq_marked = ProtoField.uint8("quench.isq.marked", "The packet was", base.DEC, LOST, MARKED_BIT)
local isq_level = ProtoField.uint8("quench.isq.level", "Level of congestion", base.DEC, nil, LEVEL_MASK)
local reduction = ProtoField.uint16("quench.advice.reduction", "Advice: reduce the rate by percent", base.DEC)
local pause = ProtoField.uint16("quench.advice.pause", "Advice: pause for microseconds", base.DEC, nil, PAUSE_MASK)
local mecn_option = ProtoField.string("quench.mecn.option", "Multilevel ECN")
local mecn_codepoint = ProtoField.uint8("quench.mecn.codepoint", "Codepoint", base.DEC, CODEPOINTS)
local mecn_echo = ProtoField.uint8("quench.mecn.echo", "Echo (CWR, ECE)", base.DEC, ECHOES)
local cnp_form = ProtoField.string("quench.cnp.form", "Form")
local cnp_queue_pair = ProtoField.uint24("quench.cnp.destination_qp", "Destination queue pair of the data", base.HEX)
local cnp_ipv4 = ProtoField.ipv4("quench.cnp.original_destination", "Destination of the data")
local cnp_ipv6 = ProtoField.ipv6("quench.cnp.original_destination_ipv6", "Destination of the data")
quench.fields = {
    isq_marked,
    isq_level,
    reduction,
    pause,
    mecn_option,
    mecn_codepoint,
    mecn_echo,
    cnp_form,
    cnp_queue_pair,
    cnp_ipv4,
    cnp_ipv6,
}

local icmp_type = Field.new("icmp.type")
local icmp = Field.new("icmp")
local icmpv6_type = Field.new("icmpv6.type")
local icmpv6 = Field.new("icmpv6")
local roce = Field.new("infiniband")
local bth_opcode = Field.new("infiniband.bth.opcode")
local bth_sequence = Field.new("infiniband.bth.psn")
local bth_queue_pair = Field.new("infiniband.bth.destqp")
local option_type = Field.new("ipv6.opt.type")
local destination_options = Field.new("ipv6.dstopts")
local tcp_stream = Field.new("tcp.stream")
local tcp_flags = Field.new("tcp.flags")
local tcp_exid = Field.new("tcp.options.experimental.exid")
local tcp_experiment = Field.new("tcp.options.experimental.data")
local ip_ecn = Field.new("ip.dsfield.ecn")
local ipv6_ecn = Field.new("ipv6.tclass.ecn")

-- Of each TCP connection in the capture, the frames in which it offered and accepted Multilevel ECN.
local offered, accepted

function quench.init()
    offered, accepted = {}, {}
end

-- Two octets: a reduction in percent, or with the first bit a pause; other values mean nothing. The text of it.
local function advice(tree, octets)
    local value = octets:uint()
    if value > PAUSE_BIT then
        tree:add(pause, octets)
        return (", pause %d us"):format(value - PAUSE_BIT)
    elseif value >= 1 and value <= 100 then
        tree:add(reduction, octets)
        return (", reduce by %d %%"):format(value)
    end
    return ""
end

local function source_quench(pinfo, root)
    local kind, ipv6_kind = icmp_type(), icmpv6_type()
    local whole
    if kind and kind.value == SOURCE_QUENCH then
        whole = icmp().range
    elseif not kind and ipv6_kind and ipv6_kind.value == IPV6_SOURCE_QUENCH then
        whole = icmpv6().range
    end
    if not whole or whole:len() < 8 then
        return
    end
    local octet, last = whole(4, 1), whole(6, 2)
    local tree = root:add(quench, octet, "Quench: source quench")
    tree:add(isq_marked, octet)
    tree:add(isq_level, octet)
    local value = octet:uint()
    local marked, level = value >= MARKED_BIT, value % MARKED_BIT
    local text = advice(tree, last)
    pinfo.cols.info:append((" [packet %s, level %d%s]"):format(marked and "marked" or "dropped", level, text))
end

-- The address in the option of a Fast CNP, which RFC 8200's padding may precede; nil if there is none.
local function fast_cnp_address()
    for _, header in ipairs({ destination_options() }) do
        for _, kind in ipairs({ option_type() }) do
            local at = kind.value == FAST_CNP_OPTION and kind.offset - header.offset
            if at and at > 0 and at + 18 <= header.len and header.range(at + 1, 1):uint() == 16 then
                return header.range(at + 2, 16)
            end
        end
    end
end

-- A switch's CNP has the address in the bytes that InfiniBand reserves; in a receiver's they are 0.
local function congestion_notification(pinfo, root)
    local opcode, whole = bth_opcode(), roce()
    -- An ICMP error quotes the headers of another packet.
    if icmp_type() or icmpv6_type() or not opcode or opcode.value ~= CNP_OPCODE or whole.len < BTH_BYTES + 16 then
        return
    end
    local reserved = whole.range(BTH_BYTES, 16)
    local fast = fast_cnp_address()
    local form = fast and "Fast CNP" or "CNP of a switch"
    local address = fast or reserved
    if not fast and reserved:bytes():tohex() == NOTHING then
        form, address = "CNP of a receiver", nil
    end
    local tree = root:add(quench, whole.range, "Quench: " .. form)
    tree:add(cnp_form, whole.range, form)
    local text = ""
    if address then
        tree:add(cnp_queue_pair, bth_queue_pair().range, bth_queue_pair().value)
        if address(0, 12):bytes():tohex() == IPV4_MAPPED then
            tree:add(cnp_ipv4, address(12, 4))
        else
            tree:add(cnp_ipv6, address)
        end
        local sequence = bth_sequence().range
        text = sequence(0, 1):uint() == 0 and advice(tree, sequence(1, 2)) or ""
    end
    pinfo.cols.info:append((" [%s%s]"):format(form, text))
end

local function has_option()
    for _, exid in ipairs({ tcp_exid() }) do
        if exid.value == MECN_EXID then
            return true
        end
    end
    return false
end

local function handshake(pinfo, root, stream, is_answer)
    local text = is_answer and "accepted" or "offered"
    if not pinfo.visited then
        (is_answer and accepted or offered)[stream] = pinfo.number
    end
    root:add(quench, "Quench: Multilevel ECN " .. text):add(mecn_option, text)
    pinfo.cols.info:append((" [Multilevel ECN %s]"):format(text))
end

local function multilevel_ecn(pinfo, root)
    -- An ICMP error quotes the headers of another packet.
    if not tcp_stream() or icmp_type() then
        return
    end
    local stream, flags = tcp_stream().value, tcp_flags()
    if not flags then
        return
    end
    local is_syn = bit.band(flags.value, SYN) ~= 0
    if is_syn then
        if has_option() then
            handshake(pinfo, root, stream, bit.band(flags.value, ACK) ~= 0)
        end
        return
    end
    if not (offered[stream] and accepted[stream] and accepted[stream] < pinfo.number) then
        return
    end
    local ecn = ip_ecn() or ipv6_ecn()
    local echo = (bit.band(flags.value, CWR) ~= 0 and 2 or 0) + (bit.band(flags.value, ECE) ~= 0 and 1 or 0)
    local tree = root:add(quench, "Quench: Multilevel ECN")
    tree:add(mecn_codepoint, ecn.range, ecn.value)
    tree:add(mecn_echo, flags.range, echo)
    pinfo.cols.info:append((" [%s; echo: %s]"):format(CODEPOINTS[ecn.value], ECHOES[echo]))
end

-- ---- CSIG tags between Ethernet and IP, as p4src/csig/types.p4 has them, and their return in an option of TCP

local csig = Proto("quench_csig", "Congestion signalling tag")

local CSIG_COMPACT, CSIG_WIDE = 0x9900, 0x88b5
local NUMBERS = { [0] = "available bandwidth", [1] = "available part", [2] = "delay in a switch", [3] = "time of a queue" }

local csig_type = ProtoField.uint8("quench.csig.type", "Number", base.DEC, NUMBERS)
local csig_bucket = ProtoField.uint8("quench.csig.bucket", "Bucket")
local csig_value = ProtoField.uint32("quench.csig.value", "Value")
local csig_locator = ProtoField.uint16("quench.csig.locator", "Locator", base.HEX)
local csig_behind = ProtoField.uint16("quench.csig.ether_type", "Type of what follows", base.HEX)
csig.fields = { csig_type, csig_bucket, csig_value, csig_locator, csig_behind }

-- The fields of a tag behind its EtherType.
local function compact_fields(tree, tvb)
    tree:add(csig_type, tvb(0, 1), tvb(0, 1):bitfield(0, 3))
    tree:add(csig_bucket, tvb(0, 2), tvb(0, 2):bitfield(4, 5))
    tree:add(csig_locator, tvb(1, 1), tvb(1, 1):bitfield(1, 7))
end

local function wide_fields(tree, tvb)
    tree:add(csig_locator, tvb(0, 2))
    tree:add(csig_type, tvb(2, 1), tvb(2, 1):bitfield(0, 4))
    tree:add(csig_value, tvb(2, 3), tvb(2, 4):bitfield(4, 20))
end

local RETURNED = { [2] = compact_fields, [6] = wide_fields } -- by the bytes of the content

local function returned_tag(root)
    -- Not each experiment has contents, or has them in that field.
    local contents = {}
    for _, content in ipairs({ tcp_experiment() }) do
        contents[content.offset] = content
    end
    for _, exid in ipairs({ tcp_exid() }) do
        local content = exid.value == CSIG_EXID and contents[exid.offset + exid.len]
        local add = content and RETURNED[content.len]
        if add then
            add(root:add(csig, content.range, "Congestion signalling tag, returned"), content.range)
        end
    end
end

function quench.dissector(_, pinfo, root)
    source_quench(pinfo, root)
    congestion_notification(pinfo, root)
    multilevel_ecn(pinfo, root)
    returned_tag(root)
end

register_postdissector(quench)

local ether_types = DissectorTable.get("ethertype")

-- A dissector for tags of so many bytes; `add` adds a tag's own fields.
local function tagged(bytes, add)
    local tag = Proto("quench_csig_" .. bytes, "Congestion signalling tag of " .. bytes .. " bytes")
    function tag.dissector(tvb, pinfo, root)
        if tvb:len() < bytes then
            return 0
        end
        local behind = tvb(bytes - 2, 2)
        local tree = root:add(csig, tvb(0, bytes))
        add(tree, tvb)
        tree:add(csig_behind, behind)
        if tvb:len() > bytes then
            -- The dissector of a packet that is cut short raises an error, which is not this script's.
            pcall(ether_types.try, ether_types, behind:uint(), tvb(bytes):tvb(), pinfo, root)
        end
        return tvb:len()
    end
    return tag
end

ether_types:add(CSIG_COMPACT, tagged(4, compact_fields))
ether_types:add(CSIG_WIDE, tagged(8, wide_fields))

-- ---- Packets between switch and controller: the metadata of P4Runtime's StreamChannel are the header fields

local p4runtime = Proto("quench_p4runtime", "Quench packet-in and packet-out")

local REASONS = { [1] = "marked", [2] = "dropped early", [3] = "dropped forced", [4] = "queue report" }
local REASON_ID, AVERAGE_ID, TIME_ID = 1, 8, 9
local ADDRESSES = { "dl_src", "dl_dst", "net_src", "net_dst", "src", "dst", "src_port", "dst_port" }
local AVERAGE_UNIT = 65536 -- 16 fractional bits

local function number(name, text, values)
    return ProtoField.uint32("quench." .. name, text, base.DEC, values)
end
-- The ids of the headers packet_in and packet_out in p4src/common/headers.p4.
local PACKET_IN = {
    [REASON_ID] = number("packet_in.reason", "Reason", REASONS),
    [2] = number("packet_in.level", "Mark level"),
    [3] = number("packet_in.ingress_port", "Ingress port"),
    [4] = number("packet_in.egress_port", "Egress port"),
    [5] = number("packet_in.queue", "Queue"),
    [7] = number("packet_in.depth_pkts", "Queue depth in packets"),
    [AVERAGE_ID] = ProtoField.double("quench.packet_in.average_pkts", "Average queue in packets"),
    [TIME_ID] = ProtoField.uint64("quench.packet_in.time_us", "Switch's time in microseconds"),
    [10] = number("packet_in.isq_level", "Level for the source"),
    [11] = number("packet_in.isq_advice", "Advice for the source"),
}
local PACKET_OUT = {
    [1] = number("packet_out.egress_port", "Egress port"),
    [2] = number("packet_out.submit_to_ingress", "Routed by the switch"),
}

local all = {}
for _, fields in ipairs({ PACKET_IN, PACKET_OUT }) do
    for _, field in pairs(fields) do
        all[#all + 1] = field
    end
end
p4runtime.fields = all

-- Protocol Buffers' varint at a place: its value and the place behind it; nil where the message ends before.
local function varint(tvb, at)
    local value, factor = 0, 1
    for i = at, math.min(at + 9, tvb:len() - 1) do
        local byte = tvb(i, 1):uint()
        value = value + (byte % 128) * factor
        if byte < 128 then
            return value, i + 1
        end
        factor = factor * 128
    end
    return nil
end

-- The fields of a message with a length, in order: {number, range}. Others are passed over; nil for what is no message.
local function parts(tvb)
    local found, at = {}, 0
    while at < tvb:len() do
        local key, behind = varint(tvb, at)
        if not key then
            return nil
        end
        local wire, field = key % 8, math.floor(key / 8)
        if wire == 0 then
            local _, next_at = varint(tvb, behind)
            if not next_at then
                return nil
            end
            at = next_at
        elseif wire == 2 then
            local length, from = varint(tvb, behind)
            if not length or from + length > tvb:len() then
                return nil
            end
            if length > 0 then
                found[#found + 1] = { number = field, range = tvb(from, length) }
            end
            at = from + length
        elseif wire == 1 or wire == 5 then
            at = behind + (wire == 1 and 8 or 4)
        else
            return nil
        end
    end
    return found
end

-- A PacketMetadata: its id, and its value, which has no leading zeros.
local function metadata(range)
    local tvb = range:tvb()
    local id, value, value_range = nil, 0, range
    local key, at = varint(tvb, 0)
    if key == 8 then
        id = varint(tvb, at)
    end
    for _, part in ipairs(parts(tvb) or {}) do
        if part.number == 2 then
            value_range = part.range
            if part.range:len() > 8 then
                return nil
            end
            value = 0
            for i = 0, part.range:len() - 1 do
                value = value * 256 + part.range(i, 1):uint()
            end
        end
    end
    return id, value, value_range
end

local function add_metadata(tree, fields, range)
    local id, value, where = metadata(range)
    local field = id and fields[id]
    if not field then
        return
    end
    if fields == PACKET_IN and id == AVERAGE_ID then
        value = value / AVERAGE_UNIT
    elseif fields == PACKET_IN and id == TIME_ID then
        value = UInt64(value % 2 ^ 32, math.floor(value / 2 ^ 32))
    end
    tree:add(field, where, value)
    return fields == PACKET_IN and id == REASON_ID and (REASONS[value] or "unknown reason")
end

-- A column's text as it was. Behind a fence, which other dissectors set, a column can only be continued.
local function restore(column, text)
    column:set("")
    column:append(text:sub(#tostring(column) + 1))
end

-- The packet that a message carries, in the tree only: the columns stay those of the connection.
local function inside(tvb, pinfo, tree)
    local protocol, info = tostring(pinfo.cols.protocol), tostring(pinfo.cols.info)
    local kept = {}
    for _, name in ipairs(ADDRESSES) do
        kept[name] = pinfo[name]
    end
    Dissector.get("eth_withoutfcs"):call(tvb, pinfo, tree)
    for name, value in pairs(kept) do
        pinfo[name] = value
    end
    restore(pinfo.cols.protocol, protocol)
    restore(pinfo.cols.info, info)
end

-- A PacketIn or PacketOut: payload = 1, metadata = 2.
local function packet(tvb, pinfo, root, name, fields)
    local tree = root:add(p4runtime, tvb(), "Quench: " .. name)
    local reason, payload
    for _, part in ipairs(parts(tvb) or {}) do
        if part.number == 1 then
            payload = part.range
        elseif part.number == 2 then
            reason = add_metadata(tree, fields, part.range) or reason
        end
    end
    local text = reason and (name .. ": " .. reason) or name
    tree:set_text("Quench: " .. text)
    if payload then
        inside(payload:tvb(), pinfo, tree)
    end
    pinfo.cols.info:append((" [%s]"):format(text))
end

-- The field of a StreamMessageResponse or StreamMessageRequest that has a packet is 2 in both.
local function stream_message(name, fields)
    return function(tvb, pinfo, root)
        local found = parts(tvb)
        if not found then
            return 0
        end
        for _, part in ipairs(found) do
            if part.number == 2 then
                packet(part.range:tvb(), pinfo, root, name, fields)
            end
        end
        return tvb:len()
    end
end

local STREAM = "application/grpc,/p4.v1.P4Runtime/StreamChannel,"
local responses = Proto("quench_packet_in", "P4Runtime stream from the switch")
local requests = Proto("quench_packet_out", "P4Runtime stream to the switch")
responses.dissector = stream_message("packet-in", PACKET_IN)
requests.dissector = stream_message("packet-out", PACKET_OUT)
local messages = DissectorTable.get("grpc_message_type")
messages:add(STREAM .. "response", responses)
messages:add(STREAM .. "request", requests)

-- A P4Runtime server speaks first, by which Wireshark does not find HTTP/2 by itself.
p4runtime.prefs.ports = Pref.range("TCP ports", "9559,50051-50099", "TCP ports of P4Runtime servers", 65535)

local tcp_ports = DissectorTable.get("tcp.port")
local in_use

local function use_ports()
    local wanted = tostring(p4runtime.prefs.ports)
    if wanted == in_use then
        return
    end
    local http2 = Dissector.get("http2")
    if in_use and in_use ~= "" then
        tcp_ports:remove(in_use, http2)
    end
    if wanted ~= "" then
        tcp_ports:add(wanted, http2)
    end
    in_use = wanted
end

p4runtime.prefs_changed = use_ports
use_ports()
