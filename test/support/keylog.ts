import type { Api, Watcher } from './http.js';

/** Runs in a terminal in raw mode and prints each read of its input as hex in angle brackets. */
const SCRIPT = `
process.stdin.setRawMode(true);
process.stdin.on('data', (bytes) => process.stdout.write('<' + bytes.toString('hex') + '>'));
process.stdout.write('READY');`;

export interface Keylog {
  id: string;
  /** The reads of the program so far, each decoded byte for byte (latin1). */
  reads(): string[];
  /** Resolves once the program has read at least these bytes, given as latin1; returns all its reads. */
  until(keys: string): Promise<string>;
}

/** Opens a terminal whose program shows exactly the bytes typed into it. */
export async function openKeylog(api: Api, watcher: Watcher): Promise<Keylog> {
  const command = [process.execPath, '-e', SCRIPT];
  const { body } = await api.post<{ id: string }>('/api/terminals', { command });
  const { id } = body;
  await watcher.untilOutput(id, 'READY');
  const reads = () =>
    [...watcher.output(id).matchAll(/<([0-9a-f]*)>/g)].map(([, hex]) =>
      Buffer.from(hex!, 'hex').toString('latin1'),
    );
  return {
    id,
    reads,
    until: async (keys) => {
      await watcher.until(() => reads().join('').includes(keys));
      return reads().join('');
    },
  };
}
