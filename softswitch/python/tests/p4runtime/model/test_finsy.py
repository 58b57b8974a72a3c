# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A stock client from end to end: finsy, which does not know which switch it talks to."""

import asyncio

import finsy as fy
import pytest
from google.protobuf import text_format

FRAME = bytes.fromhex("0200000000010200000000021234") + bytes(46)


@pytest.fixture
def files(tmp_path, config):
    info, blob = tmp_path / "entities.p4info.txtpb", tmp_path / "entities.json"
    info.write_text(text_format.MessageToString(config.p4info))
    blob.write_bytes(config.p4_device_config)
    return {"p4info": info, "p4blob": blob, "device_id": 1}


def route():
    return fy.P4TableEntry(
        "lpm_table",
        match=fy.P4TableMatch(destination="10.0.0.0/8"),
        action=fy.P4TableAction("forward", port=3),
    )


async def test_finsy_pushes_the_program_writes_and_reads(server, files):
    async with fy.Switch("s1", server.address, fy.SwitchOptions(**files)) as switch:
        assert switch.is_primary
        await switch.write([+route(), +fy.P4CloneSessionEntry(7, replicas=[510])])
        found = [item async for item in switch.read(fy.P4TableEntry("lpm_table"))]
        assert [item.match for item in found] == [{"destination": (10 << 24, 8)}]
        assert [item.replicas async for item in switch.read(fy.P4CloneSessionEntry())] == [(510,)]
        with pytest.raises(fy.P4ClientError) as caught:
            await switch.write([+route(), -route(), -route()])
        codes = {place: detail.canonical_code.name for place, detail in caught.value.details.items()}
        assert codes == {0: "ALREADY_EXISTS", 2: "NOT_FOUND"}
        await switch.modify([fy.P4RegisterEntry("averages", index=2, data=77)])
        (cell,) = [item async for item in switch.read(fy.P4RegisterEntry("averages", index=2))]
        assert cell.data == 77


async def test_finsy_finds_the_program_running_and_does_not_push_it_again(server, files):
    async with fy.Switch("s1", server.address, fy.SwitchOptions(**files)) as switch:
        await switch.write([+fy.P4CloneSessionEntry(7, replicas=[510])])
    async with fy.Switch("s1", server.address, fy.SwitchOptions(**files)) as switch:
        assert [item.session_id async for item in switch.read(fy.P4CloneSessionEntry())] == [7]


async def test_finsy_exchanges_packets(server, files):
    async with fy.Switch("s1", server.address, fy.SwitchOptions(**files)) as switch:
        # finsy drops what comes before somebody waits for it.
        coming = asyncio.create_task(anext(aiter(switch.read_packets())))
        await asyncio.sleep(0)
        await switch.write([fy.P4PacketOut(FRAME, egress_port=510, unused=0)])
        packet = await asyncio.wait_for(coming, 5)
        assert packet.payload == FRAME
        assert packet["ingress_port"] == 510
