# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Send a TCP packet to each address on port 0 of p4-guide's veth pairs, and print on which ports what came out.

Run by the Python that has the demos' packages, with the addresses as arguments. Port N of the switch is veth2N, and
veth2N+1 is its other end. The output is one line of JSON: the ports by address, in the order of the arguments.
"""

import json
import sys
import time

from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.sendrecv import AsyncSniffer, sendp

PORTS = 8
QUIET_S = 0.7
"""The time after which all copies of a packet that was sent are out."""


def main() -> None:
    """Send the packets one after another, and print the ports."""
    ports = {f"veth{2 * port + 1}": port for port in range(PORTS)}
    seen: dict[str, list[int]] = {}
    for number, address in enumerate(sys.argv[1:]):
        packet = Ether() / IP(dst=address, src=f"1.2.3.{number + 4}") / TCP(sport=5793, dport=80)
        sniffer = AsyncSniffer(iface=list(ports))
        sniffer.start()
        time.sleep(QUIET_S)
        sendp(packet, iface="veth1", verbose=False)
        time.sleep(QUIET_S)
        frames = sniffer.stop() or ()
        out = [ports[str(frame.sniffed_on)] for frame in frames if bytes(frame) != bytes(packet)]
        seen[f"{number} {address}"] = sorted(out)
    json.dump(seen, sys.stdout)


if __name__ == "__main__":
    main()
