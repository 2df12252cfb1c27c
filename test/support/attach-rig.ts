import { afterEach, expect } from 'vitest';
import type { Terminal } from '#dist/client/index.js';
import { OuterTmux } from './outer-tmux.js';
import { eventually } from './processes.js';
import { connectTo, ofHome } from './sdk.js';

/** Size of both terminals unless a test passes another. */
export const SIZE = { cols: 80, rows: 20 };

/** The detach keys. */
export const DETACH = '\x1cd';

/** Returns a function that opens an outer terminal, which is closed after the test. */
export function useOuters(): (size?: typeof SIZE) => OuterTmux {
  const outers: OuterTmux[] = [];
  afterEach(() => {
    for (const outer of outers.splice(0)) outer.dispose();
  });
  return (size = SIZE) => {
    const outer = new OuterTmux(size);
    outers.push(outer);
    return outer;
  };
}

/** Starts a program in the service of a home. */
export async function createIn(home: string, command: string[]): Promise<Terminal> {
  const client = connectTo(ofHome(home));
  const { id } = await client.terminals.create({ command, ...SIZE, env: { PS1: 'inner$ ', ENV: '' } });
  return client.terminals.get(id);
}

/** Resolves once the outer screen equals the terminal's screen, with the cursor at the same place. */
export async function showsTheSame(outer: OuterTmux, terminal: Terminal): Promise<void> {
  let is: string[] = [];
  let should: string[] = [];
  await eventually('both screens are the same', async () => {
    const { content, cursor_position } = await terminal.capture();
    should = content.split('\n').map((row) => row.replace(/\x1b\[[\d;:]*m/g, '').trimEnd());
    should.push(`cursor ${cursor_position}`);
    is = [...outer.rows.map((row) => row.trimEnd()), `cursor ${outer.cursor}`];
    return JSON.stringify(is) === JSON.stringify(should);
  }).catch(() => expect(is).toEqual(should));
}
