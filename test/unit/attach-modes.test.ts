import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyModesOf } from '#dist/command/attach/key-modes.js';
import { Modes } from '#dist/command/attach/modes.js';
import { Tokenizer } from '#dist/command/attach/tokens.js';
import { createTerminal } from '../../src/workers/shard/screen/xterm/terminal.js';
import { modesOf } from '../support/terminal-modes.js';

const SETTERS = [
  ...[
    '1',
    '6',
    '7',
    '9',
    '25',
    '45',
    '66',
    '69',
    '1000',
    '1002',
    '1003',
    '1004',
    '1006',
    '1016',
    '2004',
    '2026',
  ],
  ...['47', '1047', '1049', '1;1000;2004'],
].flatMap((mode) => [`\x1b[?${mode}h`, `\x1b[?${mode}l`]);
const OTHERS = [
  ...[
    '\x1b=',
    '\x1b>',
    '\x1b[4h',
    '\x1b[4l',
    '\x1b[20h',
    '\x1b[2;5r',
    '\x1b[r',
    '\x1b[1;31m',
    '\x1b[m',
    '\x1b(0',
  ],
  ...[
    '\x0e',
    '\x1b)0',
    '\x1b[3g',
    '\x1b[5;9H\x1bH',
    '\x1b[4 q',
    '\x1b[1"q',
    '\x1b7',
    '\x1b8',
    '\x1b[!p',
    '\x1bc',
    'text',
  ],
];

async function modesAfter(output: string): Promise<object> {
  const term = createTerminal(40, 10, 100);
  await new Promise<void>((resolve) => term.write(output, resolve));
  const found = modesOf(term);
  term.dispose();
  return found;
}

function track(output: string): Modes {
  const modes = new Modes();
  for (const token of new Tokenizer().take(output)) modes.take(token);
  return modes;
}

describe('the modes of an outer terminal', () => {
  test('are those of a fresh one after a reset, whatever was set', async () => {
    const fresh = await modesAfter('');
    const output = fc.array(fc.constantFrom(...SETTERS, ...OTHERS), { maxLength: 15 });
    await fc.assert(
      fc.asyncProperty(output, async (parts) => {
        const text = parts.join('');
        expect(await modesAfter(text + track(text).reset(40))).toEqual(fresh);
      }),
      { numRuns: 500 },
    );
  });

  test('are left alone if nothing has set them', () => {
    expect(track('text\r\n\x1b[2J\x1b[5;5H\x1b[?25h\x1b[?1000l').reset(80)).toBe('');
    expect(track('\x1b[?1000h\x1b[?1000l\x1b[1m\x1b[m\x1b[>1u\x1b[<u').reset(80)).toBe('');
  });

  test('pop what was pushed to the keyboard stacks of both screens', () => {
    expect(track('\x1b[>1u\x1b[>5u').reset(80)).toBe('\x1b[<2u');
    expect(track('\x1b[>1u\x1b[?1049h\x1b[>3u').reset(80)).toContain(
      '\x1b[<1u\x1b[?47l\x1b[<1u\x1b[?47h\x1b[?1049l',
    );
    expect(track('\x1b[=1;1u').reset(80)).toBe('\x1b[=0u');
    expect(track('\x1b[>4;2m').reset(80)).toBe('\x1b[>4m');
  });

  test('stay as they are for a new screen if the screen does not say them', () => {
    const modes = track('\x1b[>1u\x1b[>4;2m\x1b[?1000h\x1b[?2031h');
    expect(modes.resetForScreen(80)).toBe('\x1b[?1000l');
    expect(modes.reset(80)).toBe('\x1b[>4m\x1b[<1u\x1b[?2031l');
  });

  test('of keys and pastes are taken from output that is not shown', () => {
    const output = 'a\x1b[?1;1000;2004h\x1b[2J\x1b=\x1b[>1u\x1b[31m\x1b[>4;2m\x1b[?1049h\x1b]2;t\x07';
    const passed = new Tokenizer().take(output).map(keyModesOf).join('');
    expect(passed).toBe('\x1b[?1;2004h\x1b=\x1b[>1u\x1b[>4;2m');
  });
});
