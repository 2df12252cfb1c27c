import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Shard } from '#dist/workers/shard/shard.js';
import { eventually } from '../support/processes.js';
import { Random } from '../support/random.js';
import { MARKS, NONCE, ShardRig } from './shard-rig.js';

let rig: ShardRig;
let shard: Shard;
let folder: string;

beforeEach(async () => {
  rig = await ShardRig.start();
  ({ shard } = await rig.shard());
  folder = mkdtempSync(join(tmpdir(), 'at-commands-'));
});

afterEach(async () => {
  await rig.end();
  rmSync(folder, { recursive: true });
});

/** A command's output: lines, colours, blanks, with and without a final line end. */
function printed(random: Random): { bytes: string; text: string } {
  const lines = Array.from({ length: random.below(30) }, () =>
    random.of(['', 'plain', '  indented\tand trailing  ', 'x'.repeat(random.below(300)), '日本語 😀 é']),
  );
  const text = lines.join('\n') + random.of(['', '\n', '\n\n']);
  return { bytes: text.replaceAll('plain', '\x1b[1;31mpla\x1b[min\x1b[K'), text };
}

it('the output and exit code of every command are right', async () => {
  const random = new Random(7);
  const commands = Array.from({ length: 150 }, () => ({ ...printed(random), exitCode: random.below(256) }));
  const script = commands.map(({ bytes, exitCode }, index) => {
    const file = join(folder, `${index}`);
    writeFileSync(file, bytes);
    return `A; printf '$ '; B; echo typed; C; cat ${file}; D ${exitCode}`;
  });
  await rig.run(shard, 't', `${MARKS}\n${script.join('\n')}\nsleep 0`);
  await rig.untilExited('t');
  const marks = rig.marks('t');
  const finished = marks.filter((mark) => mark.kind === 'finished');
  const started = marks.filter((mark) => mark.kind === 'started');
  expect(finished.map(({ exitCode }) => exitCode)).toEqual(commands.map(({ exitCode }) => exitCode));
  for (const [index, { cursor }] of started.entries()) {
    const query = { start: cursor, end: finished[index]!.cursor, raw: false, maxBytes: 1_000_000 };
    expect(await shard.rangeText('t', query)).toEqual({ text: commands[index]!.text, truncated: false });
  }
  expect(started.map(({ commandLine }) => commandLine)).toEqual(commands.map(() => 'typed'));
  expect(rig.faults).toEqual([]);
});

it('a flood between two marks does not change them', async () => {
  await rig.run(shard, 't', `${MARKS}\nC; seq 1 300000; D 3; C; printf end; D 4`);
  await rig.untilExited('t');
  const finished = rig.marks('t').filter((mark) => mark.kind === 'finished');
  expect(finished.map(({ exitCode }) => exitCode)).toEqual([3, 4]);
  const [flood, end] = rig.marks('t').filter((mark) => mark.kind === 'started');
  const query = { start: flood!.cursor, end: finished[0]!.cursor, raw: false, maxBytes: 1_000 };
  const tail = await shard.rangeText('t', query);
  expect(tail.truncated).toBe(true);
  expect(tail.text).toMatch(/^\d+\n(\d+\n)+300000\n$/);
  const rest = { start: end!.cursor, end: finished[1]!.cursor, raw: false, maxBytes: 1_000 };
  expect(await shard.rangeText('t', rest)).toEqual({ text: 'end', truncated: false });
});

it('the exit of the terminal ends the running command, and is reported after it', async () => {
  await rig.run(shard, 't', `${MARKS}\nC; printf 'last words'; exit 7`);
  await rig.untilExited('t');
  expect(rig.told.map((told) => (told.type === 'mark' ? told.mark.kind : told.type))).toEqual([
    'started',
    'finished',
    'exited',
  ]);
  expect(rig.marks('t').at(-1)).toMatchObject({ kind: 'finished', exitCode: 7, state: { levels: [] } });
});

it('a command goes on, and ends, in the shard that replaces a dead one', async () => {
  const { shard: first, host } = await rig.shard();
  const handle = await rig.run(first, 't', `${MARKS}\nC; echo begin; read x; echo end; D 5; A; B; read x`);
  await eventually('it runs', () => rig.marks('t').length === 1);
  host.close();
  await host.closed;
  const state = rig.state('t');
  shard.open({
    id: 't',
    handle,
    isNew: false,
    labels: {},
    commands: { nonce: NONCE, ...(state && { state }) },
  });
  await shard.look('t');
  await rig.rig.host.type(handle, [{ data: 'go\r' }]);
  await eventually('it has ended', () => rig.marks('t').length === 3);
  const [started, finished, prompt] = rig.marks('t');
  expect([started!.kind, finished!.kind, prompt!.kind]).toEqual(['started', 'finished', 'prompt']);
  expect(finished).toMatchObject({
    exitCode: 5,
    commandId: started!.kind === 'started' && started!.commandId,
  });
  const end = finished!.kind === 'finished' ? finished!.cursor : '';
  const start = started!.kind === 'started' ? started!.cursor : '';
  expect(await shard.rangeText('t', { start, end, raw: false, maxBytes: 1_000 })).toEqual({
    text: 'begin\ngo\nend\n',
    truncated: false,
  });
});

it('the screen is returned with title, cursor and modes', async () => {
  const drawing = '\\033]2;title é\\007\\033[?2004h\\033[?1h\\033[?1049h\\033[3;5Hdrawn  ';
  await rig.run(shard, 't', `printf '${drawing}'; read x`);
  const ready = await shard.until('t', 1, { kind: 'text', text: 'drawn' });
  const look = await shard.look('t');
  expect(look).toMatchObject({
    title: 'title é',
    cursorRow: 2,
    position: ready.position,
    modes: { bracketedPaste: true, applicationCursor: true, altScreen: true },
  });
  expect(look.rows).toEqual(['', '', '    drawn', ...Array(21).fill('')]);
  expect(look.quietMs).toBeGreaterThanOrEqual(0);
  await shard.until('t', 2, { kind: 'idle', idleMs: 50 });
  expect((await shard.look('t')).quietMs).toBeGreaterThanOrEqual(50);
});
