import { MessageChannel } from 'node:worker_threads';
import type { HostConnection } from '#dist/workers/pty-host/client/host-client.js';
import type { StreamMessage } from '#dist/workers/shard/protocol.js';
import { Shard } from '#dist/workers/shard/shard.js';
import { StreamPort } from '#dist/workers/shard/stream-port.js';
import { SpillFile } from '#dist/workers/spill-file.js';
import { eventually } from '../support/processes.js';
import { Rig } from './pty-host-rig.js';

/** The nonce in the marks of these tests. */
export const NONCE = 'secret';

type Told = Extract<StreamMessage, { type: 'mark' | 'exited' }>;
type MarkState = Extract<Told, { type: 'mark' }>['mark']['state'];

/** Shards in this thread on a pty host of their own, and their reports about terminals. */
export class ShardRig {
  readonly rig: Rig;
  /** Marks and exits, in the order they were posted. */
  readonly told: Told[] = [];
  readonly faults: string[] = [];
  readonly #ports: Array<{ close(): void }> = [];

  private constructor(rig: Rig) {
    this.rig = rig;
  }

  static async start(): Promise<ShardRig> {
    return new ShardRig(await Rig.start());
  }

  /** Resolves with a shard and its connection to the host; the end of the connection is the end of the shard. */
  async shard(): Promise<{ shard: Shard; host: HostConnection }> {
    const host = await this.rig.connect();
    const { port1, port2 } = new MessageChannel();
    port2.on('message', (message: StreamMessage) => {
      if (message.type === 'fault') this.faults.push(message.error);
      if (message.type === 'mark' || message.type === 'exited') this.told.push(message);
    });
    this.#ports.push(port1, port2);
    const onFault = ({ message }: Error) => void this.faults.push(message);
    const spill = new SpillFile({ folder: this.rig.folder, onFault });
    return { shard: new Shard({ host, scrollback: 1_000, port: new StreamPort(port1), spill }), host };
  }

  /** Starts a script on a terminal with this shard as home; returns its handle. */
  async run(shard: Shard, id: string, script: string): Promise<number> {
    const { handle } = await this.rig.spawn('/bin/sh', ['-c', script]);
    shard.open({ id, handle, isNew: true, labels: {}, commands: { nonce: NONCE } });
    return handle;
  }

  marks(id: string) {
    return this.told.flatMap((told) => (told.type === 'mark' && told.id === id ? [told.mark] : []));
  }

  state(id: string): MarkState | undefined {
    return this.marks(id).at(-1)?.state;
  }

  async untilExited(id: string): Promise<void> {
    await eventually(`${id} has exited`, () =>
      this.told.some((told) => told.type === 'exited' && told.id === id),
    );
  }

  async end(): Promise<void> {
    for (const port of this.#ports) port.close();
    await this.rig.end();
  }
}

/** Shell functions that print the marks of an integrated shell around its commands. `$$` is the shell's process. */
export const MARKS = `
N=${NONCE}
A() { printf '\\033]133;A;k=%s;s=%s\\007' $N $$; }
B() { printf '\\033]133;B;k=%s;s=%s\\007' $N $$; }
C() { printf '\\033]133;C;k=%s;s=%s\\007' $N $$; }
D() { printf '\\033]133;D;%s;k=%s;s=%s\\007' "$1" $N $$; }
`;
