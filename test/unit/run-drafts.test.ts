import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import type { CommandChange } from '../../src/actors/commands/commands.js';
import type { EngineEvent } from '../../src/actors/events.js';
import { KeyedMutex } from '../../src/actors/keyed-mutex.js';
import { Drafts, type DraftsOptions } from '../../src/actors/runs/drafts.js';
import { BACK_KEY } from '../../src/actors/runs/line-keys.js';

it('presses the key only in a shell at rest, and in a turn of the runs', async () => {
  const pressed: string[] = [];
  let pending = 'sure';
  let tell = (_change: CommandChange) => {};
  const turns = new KeyedMutex();
  const { signal } = new AbortController();
  const parts = {
    terminals: { startOf: () => ({}) },
    commands: {
      shellStatus: () => ({ integration: 'zsh', isReady: true, atPrompt: true, hasDraft: true, promptAt: 1 }),
      follow: (_id: string, listener: typeof tell) => {
        tell = listener;
        return () => {};
      },
    },
    submissions: { pending: () => pending },
  };
  const press = async (_id: string, key: string, { isReady }: { isReady: () => boolean }) => {
    if (isReady()) pressed.push(key);
    return isReady();
  };
  const options = { parts, terminals: { press, list: () => [] }, turns, stopping: signal, logger: console };
  const drafts = new Drafts(options as unknown as DraftsOptions);
  drafts.onEvent({ type: 'mark', id: 't', mark: { kind: 'prompt' } } as EngineEvent);
  await turn();
  expect(pressed).toEqual([]);
  let end = () => {};
  void turns.take('t', signal, () => new Promise<void>((resolve) => (end = resolve)));
  pending = 'none';
  tell({ kind: 'lineEditor' } as CommandChange);
  await turn();
  expect(pressed).toEqual([]);
  end();
  await vi.waitFor(() => expect(pressed).toEqual([BACK_KEY]));
});
