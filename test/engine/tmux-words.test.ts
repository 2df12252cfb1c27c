import { mkdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { formatQuoted, quoted } from '#dist/workers/pty-host/tmux/words.js';
import { eventually } from '../support/processes.js';
import { Random } from '../support/random.js';
import { TmuxRig } from '../support/tmux-rig.js';

const KILOBYTE = 1024;

/** Characters with a meaning to tmux in some context. */
const MEANINGFUL = [
  ...[
    '',
    ' ',
    '~',
    '~root',
    '~/x',
    '$HOME',
    '\u0024{HOME}',
    '$',
    '#{pid}',
    '#(id)',
    '#',
    '##',
    '#[bold]',
    '#H',
  ],
  ...[
    ';',
    'a;',
    '\\;',
    '\\',
    '\\n',
    '\\073',
    '{',
    '}',
    '{ a }',
    '%begin',
    '%if',
    '%1',
    '%%',
    '-',
    '--',
    '-t',
    '-x',
  ],
  ...[
    '"',
    "'",
    '`id`',
    '|',
    '&&',
    '*',
    '?',
    '!',
    'NAME=value',
    '# comment',
    '\n',
    'a\n  b',
    'a\n#b',
    '\r\n',
    '\t',
  ],
  ...[
    'é',
    '中文',
    '😀',
    '\u{feff}',
    '\x7f',
    '\x1b[0m',
    '@1',
    '=x:',
    ':',
    ',',
    'set-buffer',
    'kill-server ; x',
  ],
].map((word) => Buffer.from(word));

let rig: TmuxRig;

beforeEach(async () => {
  ({ rig } = await TmuxRig.start());
});

afterEach(() => rig.end());

/** Returns random bytes: any bytes, characters with a meaning to tmux, or text. */
function randomWord(random: Random, longest: number): Buffer {
  const alphabet = random.of([null, Buffer.from('~$#{}()[];\\"\'%-= \n\t'), Buffer.from('abc #\n')]);
  const bytes = Array.from({ length: random.below(longest) }, () =>
    alphabet ? alphabet[random.below(alphabet.length)]! : 1 + random.below(255),
  );
  return Buffer.from(bytes);
}

/** The arguments that a tmux command with these words passes to a program. */
async function argumentsOf(words: Buffer[]): Promise<Buffer[]> {
  const before = ['/bin/sh', '-c', 'read line', 'sh'];
  const argv = [...before, ...words].map(quoted).join(' ');
  const made = `new-session -d -P -F "#{pane_pid}" -- ${argv}`;
  const [[pid = ''] = []] = await rig.client.ask([made]);
  let given: Buffer = Buffer.alloc(0);
  await eventually('the program runs', async () => {
    given = await readFile(`/proc/${pid}/cmdline`);
    return given.subarray(0, 8).equals(Buffer.from('/bin/sh\0'));
  });
  const split = splitAtNul(given);
  expect(split.slice(0, before.length).map(String)).toEqual(before);
  return split.slice(before.length);
}

function splitAtNul(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0, from);
    parts.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return parts;
}

test('words reach a program as they are, whatever they would mean to tmux', async () => {
  expect(await argumentsOf(MEANINGFUL)).toEqual(MEANINGFUL);
  const each = Buffer.from(Array.from({ length: 255 }, (_, index) => index + 1));
  const words = [each, ...[...each].map((byte) => Buffer.from([byte]))];
  expect(await argumentsOf(words)).toEqual(words);
});

test('words of random bytes reach a program as they are, up to 100 KB', async () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const random = new Random(seed);
    const longest = random.of([4, 40, 400]);
    const words = Array.from({ length: random.below(200) }, () => randomWord(random, longest));
    expect(await argumentsOf(words), `seed ${seed}`).toEqual(words);
  }
  const random = new Random(100);
  const long = Array.from({ length: 4 }, () =>
    Buffer.from(Array.from({ length: 100 * KILOBYTE }, () => 1 + random.below(255))),
  );
  const given = await argumentsOf(long);
  expect(given.map((word, index) => word.equals(long[index]!))).toEqual([true, true, true, true]);
});

test('a word of a megabyte is put into a buffer as it is', async () => {
  const random = new Random(7);
  const word = Buffer.from(Array.from({ length: KILOBYTE * KILOBYTE }, () => 1 + random.below(255)));
  const file = join(rig.folder, 'saved');
  await rig.client.ask([`set-buffer -b large -- ${quoted(word)}`, `save-buffer -b large ${quoted(file)}`]);
  await eventually('it is saved', async () => (await readFile(file)).length === word.length);
  expect((await readFile(file)).equals(word)).toBe(true);
});

test('words of a format expand to themselves', async () => {
  const random = new Random(3);
  const alphabet = [
    '#',
    '##',
    '[',
    '{',
    '}',
    '(',
    ')',
    'H',
    'pid',
    ',',
    ':',
    '%H',
    'l:',
    ' ',
    'é',
    '\n',
    '\\',
    '~',
    '$HOME',
  ];
  const names = [
    ...[
      '#{pid}',
      '#(echo x)',
      '#H',
      '##',
      '#[fg=red]',
      '##[x]',
      '###[',
      '#',
      '#,',
      '#}',
      '{#',
      '%H:%M',
      'a#[#[b',
    ],
    ...Array.from({ length: 60 }, () =>
      Array.from({ length: 1 + random.below(12) }, () => random.of(alphabet)).join(''),
    ),
  ];
  for (const name of names) {
    const folder = join(rig.folder, `in ${name}`);
    await mkdir(folder, { recursive: true });
    const made = `new-session -d -P -F "#{pane_pid}" -c ${formatQuoted(folder)} -- sleep 1000`;
    const [[pid = ''] = []] = await rig.client.ask([made]);
    await eventually(
      `${JSON.stringify(name)} is the folder`,
      async () => (await readlink(`/proc/${pid}/cwd`)) === folder,
      2_000,
    );
  }
});
