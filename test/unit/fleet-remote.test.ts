import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DomainError } from '#dist/contract/errors.js';
import { LIVE } from '#dist/fleet/streams/live-wire.js';
import { RelayClient } from '#dist/gateway/remote/relay-client.js';
import { framesOf } from '#dist/gateway/remote/remote-frame.js';
import { RemoteTypist } from '#dist/gateway/remote/remote-typist.js';
import { ClientQueue } from '#dist/gateway/ws/client-queue.js';
import { FanOut } from '#dist/gateway/ws/fan-out.js';
import { frameHeaderBytes } from '#dist/workers/shard/frame-header.js';
import { FrameWriter, frameHead } from '#dist/workers/shard/frame-writer.js';
import type { OutputFrame } from '#dist/workers/shard/protocol.js';

const writer = new FrameWriter();

function frame(id: string, text: string, seq: number, size?: { cols: number; rows: number }): OutputFrame {
  writer.begin(frameHead(id));
  writer.add(Buffer.from(text));
  return writer.end(seq, new Set(['plain', 'seq', 'sized']), size);
}

const json = (buffer: ArrayBuffer | undefined) => {
  const bytes = Buffer.from(buffer!);
  return bytes.subarray(frameHeaderBytes(bytes));
};

describe('a frame of another machine', () => {
  const all = ['plain', 'seq', 'sized'] as const;
  // The variants of a frame contain the time at which they are made.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  test.each([
    ['output', 'a "quoted" \\ line\r\n\x1b[1mäé€😀', undefined],
    ['a screen', `\x1bc${'x'.repeat(70_000)}`, { cols: 80, rows: 24 }],
    ['output that looks like a place', '"},"seq":9},"timestamp":"2026-01-01T00:00:00.000Z"}', undefined],
  ])('%s has the same variants as at its owner', (_name, text, size) => {
    const own = frame('term_1', text, 123, size);
    const sent = size ? own.sized : own.seq;
    const made = framesOf('term_1', json(sent), all);
    for (const variant of ['plain', 'seq', 'sized'] as const) {
      const expected = own[variant] && Buffer.from(own[variant]);
      const is = made?.[variant] && Buffer.from(made[variant]);
      if (variant === 'seq' && size)
        expect(JSON.parse(json(made?.seq).toString()).event.cols).toBeUndefined();
      else expect(is).toEqual(expected);
    }
  });

  test('of another terminal, or that is none, is nothing', () => {
    const own = json(frame('term_1', 'text', 5).seq);
    expect(framesOf('term_2', own, all)).toBeUndefined();
    expect(framesOf('term_1', own.subarray(0, -1), all)).toBeUndefined();
    expect(framesOf('term_1', Buffer.concat([own, Buffer.from('x')]), all)).toBeUndefined();
    expect(framesOf('term_1', json(frame('term_1', 'text', 5).plain), all)).toBeUndefined();
    const broken = Buffer.from(own);
    broken[frameHead('term_1').length] = 0xff;
    expect(framesOf('term_1', broken, all)).toBeUndefined();
  });
});

describe('a machine that watches', () => {
  function relay(maxBytes = 100_000) {
    const asked: string[] = [];
    const sent: { kind: number; text: string }[] = [];
    const network: (() => void)[] = [];
    const source = {
      watch: async () => undefined,
      list: () => [{ id: 'term_1' }],
      resync: async (id: string) => void asked.push(id),
    };
    const fanOut = new FanOut(source, (error) => {
      throw error;
    });
    const queue = new ClientQueue({
      send: (message, done) => {
        const text =
          typeof message === 'string'
            ? message
            : JSON.parse(json(message.buffer as ArrayBuffer).toString()).event.data.content;
        sent.push({ kind: typeof message === 'string' ? LIVE.event : client.frameKind, text });
        network.push(done);
      },
      ...{ maxBytes, reservedBytes: 100, drainedBytes: 10, messageBytes: 0 },
      onDrained: () => fanOut.drained(client),
      onOverflow: () => undefined,
    });
    const client = new RelayClient('term_1', queue);
    const drain = () => {
      for (const done of network.splice(0)) done();
    };
    return { fanOut, client, asked, sent, drain };
  }

  test('gets a screen beside the output, which goes on', async () => {
    const { fanOut, client, asked, sent } = relay();
    await fanOut.add(client);
    const output = (text: string) =>
      fanOut.frame({ type: 'output', id: 'term_1', ...frame('term_1', text, 1) });
    output('one');
    client.want();
    fanOut.drained(client);
    output('two');
    fanOut.frame({ type: 'resync', id: 'term_1', ...frame('term_1', 'screen', 2, { cols: 8, rows: 2 }) });
    output('three');
    expect(asked).toEqual(['term_1']);
    expect(sent).toEqual([
      { kind: LIVE.output, text: 'one' },
      { kind: LIVE.output, text: 'two' },
      { kind: LIVE.screen, text: 'screen' },
      { kind: LIVE.output, text: 'three' },
    ]);
    // No client wants another screen.
    fanOut.frame({ type: 'resync', id: 'term_1', ...frame('term_1', 'screen', 3, { cols: 8, rows: 2 }) });
    expect(sent).toHaveLength(4);
  });

  test('that falls behind gets a screen in place of what it missed', async () => {
    const { fanOut, client, asked, sent, drain } = relay(1_000);
    await fanOut.add(client);
    const output = (text: string) =>
      fanOut.frame({ type: 'output', id: 'term_1', ...frame('term_1', text, 1) });
    output('x'.repeat(700));
    output('y'.repeat(700));
    output('z');
    expect(asked).toEqual([]);
    drain();
    expect(asked).toEqual(['term_1']);
    fanOut.frame({ type: 'resync', id: 'term_1', ...frame('term_1', 'screen', 2, { cols: 8, rows: 2 }) });
    output('after');
    expect(sent.map(({ kind, text }) => [kind, text.slice(0, 6)])).toEqual([
      [LIVE.output, 'xxxxxx'],
      [LIVE.reset, 'screen'],
      [LIVE.output, 'after'],
    ]);
  });
});

describe('typing at another machine', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());
  const ok = { status: 200, headers: {}, body: Buffer.from('{"status":"ok"}') };

  function typist(answer: (body: { data: string }, key: string) => Promise<typeof ok>) {
    const machines = {
      call: (_id: string, { body = '', key = '' }: { body?: string | undefined; key?: string | undefined }) =>
        answer(JSON.parse(body) as { data: string }, key),
    };
    return new RemoteTypist(machines, 'm_1', new AbortController().signal);
  }
  const input = (data: string, more = {}) => ({ terminalId: 'term_1', data, ...more });

  test('keeps the order, and puts together what comes meanwhile', async () => {
    const sent: string[] = [];
    const answers: (() => void)[] = [];
    const { type } = {
      type: typist(({ data }) => {
        sent.push(data);
        return new Promise((resolve) => answers.push(() => resolve(ok)));
      }),
    };
    const typed = ['a', 'b', 'c'].map((data) => type.type(input(data)));
    typed.push(type.type(input('d', { whenBusy: 'refuse' })), type.type(input('e')));
    for (let n = 0; n < 4; n++) {
      answers.shift()?.();
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    }
    await Promise.all(typed);
    expect(sent).toEqual(['a', 'bc', 'd', 'e']);
  });

  test('sends again with the same key while the machine is out of reach, and says at last what is unknown', async () => {
    const keys = new Set<string>();
    let tries = 0;
    const failing = typist(async (_body, key) => {
      keys.add(key);
      if (++tries === 2) throw new DomainError('fleet-outcome-unknown');
      throw new DomainError('machine-unreachable');
    });
    const failed = failing.type(input('x')).catch((error: DomainError) => error.code);
    await vi.advanceTimersByTimeAsync(11_000);
    expect(await failed).toBe('fleet-outcome-unknown');
    expect([keys.size, tries > 10]).toEqual([1, true]);
  });

  test('sends a long text whole, and others not with it', async () => {
    const sent: string[] = [];
    const long = typist(async ({ data }) => {
      sent.push(data);
      return ok;
    });
    const text = `x${'😀'.repeat(100_000)}`;
    await Promise.all(['before', text, 'after'].map((data) => long.type(input(data))));
    expect(sent).toEqual(['before', text, 'after']);
  });
});
