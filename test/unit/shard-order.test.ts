import type { MessagePort } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IN_MEMORY } from '../../src/workers/kept.js';
import type { HostConnection } from '../../src/workers/pty-host/client/host-client.js';
import type { TerminalSink } from '../../src/workers/pty-host/client/terminal-sink.js';
import type { StreamMessage } from '../../src/workers/shard/protocol.js';
import { Shard } from '../../src/workers/shard/shard.js';
import { StreamPort } from '../../src/workers/shard/stream-port.js';
import { shell } from '../support/tracked-terminal.js';

/** The messages that the shard posts, and the replies that it would post, in their order. */
let order: string[];
let sink: TerminalSink;
let shard: Shard;

const bash = shell(1);
const print = (text: string) => sink.output(Buffer.from(text));

/** Resolves once the shard has accepted its calls, on which it works only in a later turn. */
async function taken(): Promise<void> {
  for (let tick = 0; tick < 10; tick++) await Promise.resolve();
}

/** Records when a call is answered, or how it is refused. */
const note = (name: string, answer: Promise<unknown>) =>
  answer.then(
    () => void order.push(name),
    ({ code }: { code: string }) => void order.push(`${name}: ${code}`),
  );

/** Makes a shard with one terminal, whose output the test provides. */
beforeEach(() => {
  order = [];
  const postMessage = (message: StreamMessage) =>
    void order.push(message.type === 'mark' ? message.mark.kind : message.type);
  const host = {
    attach: (_handle: number, to: TerminalSink) => {
      sink = to;
    },
    resize: () => {},
    confirm: () => {},
    detach: () => {},
    checkpoint: () => {},
  };
  shard = new Shard({
    ...{ host: host as unknown as HostConnection, scrollback: 100, spill: IN_MEMORY },
    port: new StreamPort({ postMessage } as unknown as MessagePort),
  });
  shard.open({ id: 't', handle: 1, isNew: true, labels: {}, commands: { nonce: 'N' } });
  sink.restore({ position: 0, end: 0, confirmed: 0, cols: 80, rows: 24, bytes: Buffer.alloc(0) });
});

afterEach(() => shard.close('t'));

describe('while the screen is made for clients that missed output', () => {
  it('an answer waits for the marks that are held back', async () => {
    // The screen has to parse this output first, so the marks wait.
    print(`\x1b[H${bash.prompt()}${bash.run('date')}`);
    const look = note('look', shard.look('t'));
    await taken();
    // This output takes more than a turn to parse, so that the look is answered before the screen is.
    print('\x1b[1;1Hdrawn'.repeat(100_000));
    await Promise.all([look, shard.resync('t')]);
    expect(order).toEqual(['resync', 'prompt', 'started', 'look']);
  });

  it('a resize waits for its event that is held back', async () => {
    const resync = shard.resync('t');
    const resize = note('resize', shard.resize('t', 90, 30));
    await taken();
    sink.resized(90, 30);
    await Promise.all([resize, resync]);
    expect(order).toEqual(['resync', 'resized', 'resize']);
  });

  it('refusals wait for the exit that is held back', async () => {
    const idle = note('idle', shard.until('t', 1, { kind: 'idle', idleMs: 60_000 }));
    const resync = shard.resync('t');
    await taken();
    sink.exited({ exitCode: 0, signal: null, exitedAt: Date.now() });
    const late = note('late', shard.resize('t', 100, 30));
    await Promise.all([idle, resync, late]);
    expect(order.slice(0, 2)).toEqual(['resync', 'exited']);
    expect(order.slice(2).sort()).toEqual(['idle: terminal-not-found', 'late: terminal-not-found']);
  });
});

it('an answer waits for the mark of a command whose line takes long to read off the screen', async () => {
  print(`${bash.prompt()}${'echo '.repeat(40_000)}`);
  await shard.look('t');
  print(`\r\n${bash.outputStart}`);
  await note('look', shard.look('t'));
  expect(order).toEqual(['prompt', 'started', 'look']);
});

it('a program that exits within a command has that reported before what waited for it is refused', async () => {
  print(`${bash.prompt()}${bash.run('exec true')}`);
  const idle = note('idle', shard.until('t', 1, { kind: 'idle', idleMs: 60_000 }));
  sink.exited({ exitCode: 3, signal: null, exitedAt: Date.now() });
  await idle;
  expect(order).toEqual(['prompt', 'started', 'finished', 'exited', 'idle: terminal-not-found']);
});
