import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { Screen } from '../../src/workers/shard/screen/screen.js';
import { plainText } from '../../src/workers/shard/screen/text/plain-text.js';
import { printStart } from '../../src/workers/shard/screen/text/print-start.js';
import { renderText } from '../../src/workers/shard/screen/text/printed.js';
import { cutUp } from '../support/cut-up.js';
import { tries } from '../support/tries.js';

const SIZE = { cols: 20, rows: 5 };

function screenOf(pieces: readonly Uint8Array[]): Screen {
  const screen = new Screen({ ...SIZE, scrollback: 20 });
  for (const piece of pieces) screen.feed(piece);
  return screen;
}

/** Returns what a client's terminal shows, which gets the output decoded. */
const shownToClients = (output: Buffer) => screenOf([Buffer.from(output.toString('utf8'))]);

const part = fc.oneof(
  fc
    .constantFrom('a', 'é', '中', '😀', 'a line\r\n', '\x1b[31m', '\x1b[2;3H', '\x1b]2;title\x07', '\x1b[')
    .map(Buffer.from),
  fc
    .constantFrom(
      [0xe9],
      [0xff],
      [0x80],
      [0x9b],
      [0xc2],
      [0xe2, 0x80],
      [0xc0, 0xaf],
      [0xed, 0xa0, 0x80],
      [0xf0, 0x9f, 0x98],
    )
    .map(Buffer.from),
);
const output = fc
  .tuple(fc.array(part, { maxLength: 30 }), fc.array(fc.nat(), { maxLength: 10 }))
  // A last letter ends an unfinished character.
  .map(([parts, cuts]) => cutUp(Buffer.concat([...parts, Buffer.from('x')]), cuts));

test('a screen shows bytes that are no UTF-8 as the stream has them, wherever they are cut', () => {
  fc.assert(
    fc.property(output, (pieces) => {
      const [screen, client] = [screenOf(pieces), shownToClients(Buffer.concat(pieces))];
      expect(screen.serialize({ scrollback: true })).toBe(client.serialize({ scrollback: true }));
      expect(screen.title).toBe(client.title);
      screen.dispose();
      client.dispose();
    }),
    { numRuns: tries(1_000) },
  );
});

it('rendered text has them as text that was written line by line', async () => {
  const segments = [{ bytes: Buffer.from('caf\xe9 cr\xe8me\r\n', 'latin1') }];
  expect(plainText(segments)).toBe('caf\ufffd cr\ufffdme\n');
  expect(await renderText(segments, printStart(SIZE))).toBe('caf\ufffd cr\ufffdme\n');
});
