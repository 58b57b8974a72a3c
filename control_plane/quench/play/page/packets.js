// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// Packets as bytes in hexadecimal: templates, fields, and IPv4's checksum.

const ETHERNET = "020000000001020000000002";
const ECT0_IPV4 = "4502002800000000400600000a0009010a000101";
const TCP = "03e80050000000000000000050100400f2a30000";
const UDP_IPV4 = "4500002400000000401100000a0009010a000101";
const UDP = "03e8138800100000" + "00".repeat(8);
const ICMP = "4500001c00000000400100000a0009010a000101" + "0800f7fd00020000";
const IPV6 = "6020000000140640" + "fd000000000000000000000000000901" + "fd000000000000000000000000000101";
const ARP = "0001080006040001" + "0200000000020a000901" + "0000000000000a000101";
const ETHER_TYPE_BYTE = 12;
const IPV4_CHECKSUM_BYTE = 10;

/** Names and bytes of packets to begin with. */
export const TEMPLATES = new Map([
  ["TCP over IPv4, ECT(0)", with_ipv4_checksum(`${ETHERNET}0800${ECT0_IPV4}${TCP}`)],
  ["UDP over IPv4", with_ipv4_checksum(`${ETHERNET}0800${UDP_IPV4}${UDP}`)],
  ["ICMP echo over IPv4", with_ipv4_checksum(`${ETHERNET}0800${ICMP}`)],
  ["TCP over IPv6, ECT(0)", `${ETHERNET}86dd${IPV6}${TCP}`],
  ["TCP over IPv4 in VLAN 5", with_ipv4_checksum(`${ETHERNET}810000050800${ECT0_IPV4}${TCP}`)],
  ["ARP request", `ffffffffffff020000000002${"0806"}${ARP}`],
  ["64 bytes of zeros", "00".repeat(64)],
]);

/** The digits of a text, in lower case; null: it is no whole number of bytes. */
export function octets_of(text) {
  const digits = text.replaceAll(/\s+/g, "").toLowerCase();
  return /^(?:[0-9a-f]{2})+$/.test(digits) ? digits : null;
}

/** The bytes with a field set to a value, a BigInt; null: the field is too narrow or lies outside. */
export function with_field(octets, { offset_bits, bits }, value) {
  const size_bits = octets.length * 4;
  if (value < 0n || value >> BigInt(bits) !== 0n || offset_bits + bits > size_bits) {
    return null;
  }
  const shift = BigInt(size_bits - offset_bits - bits);
  const mask = ((1n << BigInt(bits)) - 1n) << shift;
  const changed = (BigInt(`0x${octets}`) & ~mask) | (value << shift);
  return changed.toString(16).padStart(octets.length, "0");
}

/** The bytes with the right checksum in their IPv4 header (RFC 791); as they are where there is none. */
export function with_ipv4_checksum(octets) {
  const bytes = octets.match(/../g).map((each) => Number.parseInt(each, 16));
  let type = ETHER_TYPE_BYTE;
  while (bytes[type] === 0x81 && bytes[type + 1] === 0) {
    type += 4;
  }
  const start = type + 2;
  const length = (bytes[start] & 0x0f) * 4;
  if (bytes[type] !== 8 || bytes[type + 1] !== 0 || bytes[start] >> 4 !== 4 || length < 20 || start + length > bytes.length) {
    return octets;
  }
  bytes.fill(0, start + IPV4_CHECKSUM_BYTE, start + IPV4_CHECKSUM_BYTE + 2);
  let sum = 0;
  for (let place = start; place < start + length; place += 2) {
    sum += bytes[place] * 256 + bytes[place + 1];
  }
  while (sum > 0xffff) {
    sum = (sum & 0xffff) + (sum >> 16);
  }
  bytes[start + IPV4_CHECKSUM_BYTE] = (~sum >> 8) & 0xff;
  bytes[start + IPV4_CHECKSUM_BYTE + 1] = ~sum & 0xff;
  return bytes.map((each) => each.toString(16).padStart(2, "0")).join("");
}
