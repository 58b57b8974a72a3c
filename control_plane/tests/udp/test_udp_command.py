# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Options that ``quench send-udp`` and ``quench receive-udp`` refuse before anything is sent."""

import pytest
from quench.cli.app import main

PEER = "10.0.2.2:9009"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["10.0.2.2"], "'10.0.2.2' is not ADDRESS:PORT, such as 10.0.2.2:9009"),
        (["10.0.2.2:0"], "'10.0.2.2:0' is not ADDRESS:PORT"),
        ([PEER, "--packet-bytes", "0"], "0 bytes: a packet has 60 to 65535"),
        ([PEER, "--packet-bytes", "65536"], "65536 bytes: a packet has 60 to 65535"),
        ([PEER, "--rate", "fast"], "--rate: 'fast' is not a quantity: write it as 10Mbps"),
        ([PEER, "--rate", "1Mbps", "--ceiling", "500kbps"], "rate 1e+06 bit/s does not lie between floor"),
        ([PEER, "--interval", "0ms"], "interval 0 s is not from 1e-06 s to 3600 s"),
        ([PEER, "--interval", "100ns"], "interval 1e-07 s is not from"),
        ([PEER, "--isq-from", "10.1.0.1/16"], "--isq-from 10.1.0.1/16: 10.1.0.1/16 has host bits set"),
        ([PEER, "--isq-from", "somewhere"], "--isq-from somewhere: "),
        ([PEER, "--decrease", "1"], "decrease 1 does not lie between 0 and 1"),
        ([PEER, "--on-off", "1s"], "--on-off: '1s' is not TIME:TIME, such as 1s:1350ms"),
        ([PEER, "--on-off", "1.0:1.35"], "--on-off: '1.0' has no unit: write it as 40ms or 1.5s"),
        ([PEER, "--on-off", "0:1s"], "--on-off: on 0 s and off 1 s are not both above 0"),
    ],
)
def test_a_fault_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    monkeypatch.setattr("sys.argv", ["quench", "send-udp", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    said = capsys.readouterr().err
    assert end.value.code == 1
    assert said.startswith(f"quench: {sentence}")
    assert said.count("\n") == 1
