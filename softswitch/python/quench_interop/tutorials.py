# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The exercises of p4lang/tutorials: the commands of each README, and the results that it names."""

import re
import shutil
import time
from collections.abc import Callable
from functools import partial

from quench_interop.exercise_network import ExerciseNetwork, exercise_network
from quench_interop.sandbox import Example, InteropError, Sandbox

MAKE_TEST_S = 120.0
COMPILE_S = 60.0
MESSAGES = 24
"""Messages between which the balancer may choose: all go to one of two hosts once in eight million runs."""
IPERF = "timeout --signal=KILL 25 iperf"
"""Mininet's own command ``iperf`` waits forever for what iperf 2.1 no longer prints, also without any switch."""
CONGESTION_PACKETS = 45
"""One a second, as the READMEs send them, while and after iperf fills the queue for 15 s."""


def solve(sandbox: Sandbox, name: str) -> None:
    """Copy the exercise's own solution over its skeleton."""
    folder = sandbox.folder / "exercises" / name
    for file in (folder / "solution").iterdir():
        if file.name == "s1-runtime.json":
            shutil.copy(file, folder / "sig-topo")
        elif file.suffix in {".p4", ".py"}:
            shutil.copy(file, folder)


def expect(condition: bool, wish: str, seen: object) -> None:
    """Raise InteropError unless the condition holds."""
    if not condition:
        raise InteropError(f"expected {wish}; seen: {seen}")


def all_pings(network: ExerciseNetwork) -> str:
    """Mininet's pingall; its last line."""
    output = network.type("pingall", timeout_s=180)
    found = re.search(r"Results: (\d+% dropped \(\d+/\d+ received\))", output)
    expect(found is not None and found[1].startswith("0%"), "every ping answered", output.splitlines()[-1:])
    return f"pingall: {found[1]}" if found else ""


def own_tests(sandbox: Sandbox, name: str) -> str:
    """The exercise's own ``make test``, which runs PTF."""
    output = sandbox.run(["make", "test"], sandbox.folder / "exercises" / name, MAKE_TEST_S)
    count = re.search(r"Ran (\d+) tests", output)
    expect(count is not None and re.search(r"^OK$", output, re.MULTILINE) is not None, "PTF's OK", output[-300:])
    return f"`make test`: {count[1]} of {count[1]}" if count else ""


def basic(sandbox: Sandbox) -> str:
    """Every host answers every other one, and the PTF tests of `make test` pass."""
    with exercise_network(sandbox, "basic") as network:
        seen = all_pings(network)
    return f"{seen}; {own_tests(sandbox, 'basic')}"


def basic_tunnel(sandbox: Sandbox) -> str:
    """Packets follow the address without a tunnel and the tunnel's identifier with one; `make test` passes."""
    with exercise_network(sandbox, "basic_tunnel") as network:
        for host in ("h2", "h3"):
            network.listen(host, f"{host}.log")
        network.type('h1 ./send.py 10.0.2.2 "without a tunnel"')
        network.type('h1 ./send.py 10.0.2.2 "in a tunnel" --dst_id 2')
        network.type('h1 ./send.py 10.0.3.3 "by tunnel only" --dst_id 2')
        network.type('h1 ./send.py 10.0.3.3 "by the other address"')
        network.wait_for("h2.log", "by tunnel only")
        at_h3 = network.wait_for("h3.log", "by the other address")
        at_h2 = network.read("h2.log")
    for message in ("without a tunnel", "in a tunnel"):
        expect(message in at_h2, f"{message!r} at h2", at_h2[-200:])
    expect(at_h2.count("MyTunnel") == 2, "two packets with the tunnel's header at h2", at_h2)
    expect("by tunnel only" not in at_h3, "the tunnelled packet at h2 only", at_h3)
    return (
        f"by address and by tunnel to h2, by tunnel to h2 with the address of h3; {own_tests(sandbox, 'basic_tunnel')}"
    )


def calc(sandbox: Sandbox) -> str:
    """The switch answers each of the five operations."""
    sums = {"1+1": 2, "4294967295+2": 1, "7-3": 4, "12&10": 8, "12|10": 14, "12^10": 6}
    with exercise_network(sandbox, "calc") as network:
        network.talk("h1 python3 calc.py", "> $")
        for question, result in sums.items():
            answer = network.answer(question, "> $").splitlines()
            expect(answer[-1:] == [str(result)], f"{question} = {result}", answer)
        network.answer("quit", "mininet> $")
    return ", ".join(f"{question} = {result}" for question, result in sums.items())


def congested(network: ExerciseNetwork) -> str:
    """A packet a second from h1 to h2, and 15 s of iperf from h11 to h22 over the same link of 0.5 Mb/s; h2's log."""
    network.listen("h2", "h2.log")
    network.start("h22", "iperf -s -u", "h22.log")
    network.start("h1", f'./send.py 10.0.2.2 "P4 is cool" {CONGESTION_PACKETS}', "h1.log")
    network.wait_for("h2.log", "P4 is cool")
    network.type("h11 iperf -c 10.0.2.22 -t 15 -u")
    deadline_s = time.monotonic() + CONGESTION_PACKETS + 30
    while network.read("h1.log").count("Sent 1 packets.") < CONGESTION_PACKETS and time.monotonic() < deadline_s:
        time.sleep(0.5)
    time.sleep(1)
    return network.read("h2.log")


def ecn(sandbox: Sandbox) -> str:
    """Packets of the slow flow are marked while iperf fills the queue of the slow link, and only then."""
    with exercise_network(sandbox, "ecn") as network:
        log = congested(network)
    values = re.findall(r"^\s+tos +=\s*(\S+)", log, re.MULTILINE)
    counts = f"{values.count('0x1')} of {len(values)} packets with tos 0x1, {values.count('0x3')} with 0x3"
    expect("0x3" in values and values[:1] == ["0x1"] and values[-1:] == ["0x1"], "tos 0x1, 0x3, 0x1", counts)
    return counts


def mri(sandbox: Sandbox) -> str:
    """Packets list the switches on their way, with the depth of the queue that iperf fills."""
    with exercise_network(sandbox, "mri") as network:
        log = congested(network)
    packets = log.split("got a packet")[1:]
    depths = []
    for packet in packets:
        switches = [int(number) for number in re.findall(r"swid += (\d+)", packet)]
        queues = [int(number) for number in re.findall(r"qdepth += (\d+)", packet)]
        expect(switches == [2, 1], "the switches 2 and 1 in each packet", switches)
        depths.append(queues[1])
    expect(bool(depths) and depths[0] == 0 and max(depths) > 0, "a queue at s1 while iperf sends", depths)
    return f"path s1, s2 in {len(packets)} packets; depth at s1 from 0 to {max(depths)}"


def tcp_rate(output: str, client: str, server: str) -> str:
    """The rate that an iperf client printed. Raises InteropError when it has none."""
    found = re.search(r"([\d.]+) Mbits/sec", output)
    if not found:
        raise InteropError(f"expected a rate of iperf from {client} to {server}; seen: {output.splitlines()[-3:]}")
    return found[1]


def link_monitor(sandbox: Sandbox) -> str:
    """Probes measure the rate at which iperf sends over a link."""
    with exercise_network(sandbox, "link_monitor") as network:
        network.start("h1", "python3 -u ./receive.py", "receive.log")
        network.wait_for("receive.log", "sniffing on")
        network.start("h1", "./send.py", "send.log")
        network.wait_for("receive.log", "Switch 1 - Port 4")
        network.serve("h4")
        before = len(network.read("receive.log"))
        output = network.type(f"h1 {IPERF} -t 12 -f m -c 10.0.4.4")
        text = network.read("receive.log")[before:]
    iperf_mbps = float(tcp_rate(output, "h1", "h4"))
    probes = re.findall(r"Switch 1 - Port 4: ([\d.e+-]+) Mbps", text)
    most_mbps = max((float(value) for value in probes), default=0.0)
    seen = f"iperf {iperf_mbps:.0f} Mb/s, probes at most {most_mbps:.0f} Mb/s on s1's port 4"
    expect(0.5 * iperf_mbps < most_mbps < 2.5 * iperf_mbps, "iperf and probes to agree", seen)
    return seen


def load_balance(sandbox: Sandbox) -> str:
    """Flows to one address are shared among two hosts."""
    with exercise_network(sandbox, "load_balance") as network:
        for host in ("h2", "h3"):
            network.listen(host, f"{host}.log")
        for number in range(MESSAGES):
            network.type(f'h1 ./send.py 10.0.0.1 "message {number:02}"')
        time.sleep(1)
        logs = [network.read(f"{host}.log") for host in ("h2", "h3")]
    arrived = [set(re.findall(r"message \d\d", log)) for log in logs]
    seen = f"{MESSAGES} messages: {len(arrived[0])} at h2, {len(arrived[1])} at h3"
    expect(all(arrived) and not arrived[0] & arrived[1], "both hosts to receive some", seen)
    expect(len(arrived[0]) + len(arrived[1]) == MESSAGES, "every message at one host", seen)
    return seen


def multicast(sandbox: Sandbox) -> str:
    """Every host answers every other one, for frames to unknown addresses go to a multicast group."""
    with exercise_network(sandbox, "multicast") as network:
        return all_pings(network)


def qos(sandbox: Sandbox) -> str:
    """UDP and TCP leave with their own code points."""
    seen = []
    with exercise_network(sandbox, "qos") as network:
        network.listen("h2", "h2.log")
        for protocol in ("UDP", "TCP"):
            network.type(f'h1 ./send.py --p={protocol} --des=10.0.2.2 --m="by {protocol}" --dur=3')
        log = network.wait_for("h2.log", r"(?s)(by TCP.*){3}")
    for protocol, wanted in (("UDP", "0xb9"), ("TCP", "0xb1")):
        packets = [packet for packet in log.split("got a packet") if f"by {protocol}" in packet]
        received = [packet for packet in packets if re.findall(r"dst +=\s*(10\.\S+)", packet)[:1] == ["10.0.2.2"]]
        values = [re.findall(r"tos +=\s*(\S+)", packet)[0] for packet in received]
        expect(values == [wanted] * 3, f"three packets of {protocol} with tos {wanted}", values)
        seen.append(f"{protocol} tos {wanted}")
    return ", ".join(seen)


def firewall(sandbox: Sandbox) -> str:
    """TCP connections begin inside only."""
    seen = []
    with exercise_network(sandbox, "firewall") as network:
        for host in ("h1", "h2", "h3"):
            network.serve(host)
        for server, address in (("h2", "10.0.2.2"), ("h3", "10.0.3.3")):
            output = network.type(f"h1 {IPERF} -t 2 -f m -c {address}")
            seen.append(f"h1 to {server} {tcp_rate(output, 'h1', server)} Mb/s")
        outside = network.type(f"h3 {IPERF} -t 2 -f m -c 10.0.1.1")
        at_h1 = network.read("iperf-h1.log")
    expect("bits/sec" not in outside and "10.0.3.3" not in at_h1, "no connection from h3 to h1", outside)
    return f"TCP from {', '.join(seen)}; none from h3 to h1"


def flowcache(sandbox: Sandbox) -> str:
    """A controller adds entries after packet-in, sends the packet out, and deletes entries after their idle timeout."""
    with exercise_network(sandbox, "flowcache") as network:
        network.start("sh", "python3 -u ./mycontroller.py", "controller.log")
        network.wait_for("controller.log", "Installed P4 Program using SetForwardingPipelineConfig on s3")
        time.sleep(2)
        pings = network.type("h1 ping -c 6 h2")
        log = network.wait_for("controller.log", "Deleted flow_cache entry on s1")
    expect(re.search(r" [1-6] received", pings) is not None, "answers to ping", pings)
    received = re.findall(r"(\d+) received", pings)[0]
    added = log.count("added table entry")
    expect("Traceback" not in log, "no error of the controller", log[-500:])
    return f"{received} of 6 pings; {added} entries added after packet-in, deleted after their idle timeout"


def source_routing(sandbox: Sandbox) -> str:
    """A packet takes the five ports that its sender typed."""
    with exercise_network(sandbox, "source_routing") as network:
        network.listen("h2", "h2.log")
        network.talk("h1 ./send.py 10.0.2.2", "quit: $")
        network.answer("2 3 2 2 1", "quit: $")
        network.answer("q", "mininet> $")
        log = network.wait_for("h2.log", "dport += 4321")
    ttl = re.findall(r"^\s+ttl += (\d+)", log, re.MULTILINE)
    expect(ttl == ["59"], "one packet with ttl 59", ttl)
    return "route 2 3 2 2 1 reaches h2 with ttl 59"


def p4runtime(sandbox: Sandbox) -> str:
    """A controller installs program and tunnels, and reads their counters."""
    with exercise_network(sandbox, "p4runtime") as network:
        network.start("sh", "python3 -u ./mycontroller.py", "controller.log")
        network.wait_for("controller.log", "Reading tunnel counters")
        pings = network.type("h1 ping -c 5 h2")
        expect(" 5 received" in pings, "5 of 5 pings", pings)
        log = network.wait_for("controller.log", r"s1 MyIngress.egressTunnelCounter 200: 5 packets")
    counters = re.findall(r"(s\d \S+ \d+): 5 packets", log)
    expect(len(set(counters)) == 4, "four counters of 5 packets", sorted(set(counters)))
    return "5 of 5 pings; four tunnel counters of 5 packets"


def skeletons(sandbox: Sandbox) -> str:
    """The programs with which the exercises begin compile, except flowcache's, as its README says."""
    folder = sandbox.folder / "exercises"
    programs = sorted(folder.glob("*/*.p4"))
    refused = []
    for program in programs:
        try:
            sandbox.run(["p4c-bm2-ss", "--p4v", "16", "-o", "skeleton.json", program.name], program.parent, COMPILE_S)
        except InteropError as error:
            refused.append(program.parent.name)
            expect("error" in str(error) and "Traceback" not in str(error), "an error of the compiler", error)
    expect(refused == ["flowcache"], "only the skeleton of flowcache to be refused", refused)
    return f"{len(programs) - 1} of {len(programs)} compile; flowcache.p4 lacks the fields that its reader adds"


def solved(sandbox: Sandbox, check: Callable[[Sandbox], str]) -> str:
    """Check the solution of the exercise whose name the check has."""
    solve(sandbox, check.__name__)
    return check(sandbox)


EXAMPLES = (
    Example("skeletons", skeletons),
    *(
        Example(check.__name__, partial(solved, check=check))
        for check in (
            basic,
            basic_tunnel,
            calc,
            ecn,
            mri,
            link_monitor,
            load_balance,
            multicast,
            qos,
            firewall,
            flowcache,
            source_routing,
            p4runtime,
        )
    ),
)
