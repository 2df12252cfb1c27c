import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { CommandChange } from '../../src/actors/commands/commands.js';
import { ShellWatch } from '../../src/actors/waits/shell-watch.js';

/** A terminal whose commands change when the test asks for it. */
function followed() {
  const listeners = new Set<(change: CommandChange) => void>();
  const commands = {
    follow(_id: string, listener: (change: CommandChange) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const controller = new AbortController();
  const watch = new ShellWatch(commands, 'term_a', controller.signal);
  return {
    ...{ watch, controller },
    change: () => {
      for (const listener of listeners) listener({ kind: 'prompt', hrMs: 0 });
    },
    waiting: () => getEventListeners(controller.signal, 'abort').length,
  };
}

describe('a watch of a shell', () => {
  it('has one listener, however often it is asked by a caller with another answer meanwhile', async () => {
    const { watch, change, waiting } = followed();
    for (let turn = 0; turn < 20; turn++) void watch.changed();
    expect(waiting()).toBe(1);
    const last = watch.changed();
    change();
    expect(await last).toBe(true);
    expect(waiting()).toBe(0);
  });

  it('leaves nothing behind once it is closed', () => {
    const { watch, waiting } = followed();
    void watch.changed(60_000);
    watch.close();
    expect(waiting()).toBe(0);
  });

  it('waits anew after an answer, and no earlier question disturbs that', async () => {
    const { watch, controller, change, waiting } = followed();
    const first = watch.changed();
    change();
    // The second question comes before the first answer has been read.
    expect(await watch.changed()).toBe(true);
    const second = watch.changed();
    await first;
    expect(waiting()).toBe(1);
    controller.abort(new Error('over'));
    await expect(second).rejects.toThrow('over');
    expect(waiting()).toBe(0);
  });
});
