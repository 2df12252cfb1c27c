import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { decodeHead } from '#dist/store/recording-head.js';
import { IN_MEMORY } from '#dist/workers/kept.js';
import { Shard } from '#dist/workers/shard/shard.js';
import { StreamPort } from '#dist/workers/shard/stream-port.js';
import { eventually } from '../support/processes.js';
import { Rig } from './pty-host-rig.js';

it("output that the pty host may drop is in the recording's file by then", async () => {
  const rig = await Rig.start();
  const { port1, port2 } = new MessageChannel();
  try {
    const { handle } = await rig.spawn('/bin/sh', ['-c', 'read x; seq 1 2000000; exec cat']);
    const host = await rig.connect();
    const file = join(rig.folder, '00000000-0000-4000-8000-000000000000.recording');
    const seen: Array<{ forgotten: number; recorded: number }> = [];
    const checkpoint = host.checkpoint.bind(host);
    host.checkpoint = (of, next) => {
      const recorded = decodeHead(readFileSync(file))!.head.journal!.position;
      seen.push({ forgotten: next.position, recorded });
      checkpoint(of, next);
    };
    const shard = new Shard({ host, scrollback: 1_000, port: new StreamPort(port1), spill: IN_MEMORY });
    shard.open({ id: 'term_x', handle, isNew: true, labels: {}, commands: { nonce: 'secret' } });
    const options = { include_output: true, include_input: true, include_resize: true };
    await shard.record('term_x', {
      ...{ recordingId: '00000000-0000-4000-8000-000000000000', file, shellType: 'sh' },
      startTime: new Date().toISOString(),
      options: { ...options, compression: 'none', auto_stop: false },
    });
    await rig.host.type(handle, [{ data: 'go\r' }]);
    await eventually('there have been checkpoints', () => seen.length >= 20);
    expect(seen.filter(({ forgotten, recorded }) => recorded < forgotten)).toEqual([]);
    // A checkpoint may be saved once more after this, when the finished recording has no journal.
    host.checkpoint = checkpoint;
    await shard.stopRecording('term_x');
    shard.close('term_x');
  } finally {
    port1.close();
    port2.close();
    await rig.end();
  }
});
