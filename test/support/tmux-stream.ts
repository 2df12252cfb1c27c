import type { Random } from './random.js';

export type ControlEvent =
  | { kind: 'output'; pane: number; text: string }
  | { kind: 'notice'; line: string }
  | { kind: 'block'; ok: boolean; lines: string[] }
  | { kind: 'refused'; lines: string[] };

/** Returns a stream as tmux writes it: panes' output, answers with rows that look like other lines, notices. */
export function randomControlStream(random: Random): Buffer {
  const parts: Buffer[] = [];
  for (let left = random.below(40); left > 0; left -= 1) {
    const kind = random.below(10);
    if (kind < 6) parts.push(randomOutput(random));
    else if (kind < 9) parts.push(randomAnswer(random));
    else parts.push(Buffer.from(random.of(NOTICES)));
    parts.push(Buffer.from('\n'));
  }
  return Buffer.concat(parts);
}

/** Returns the events of a whole stream, read line by line: a reader to compare with. */
export function linesEvents(stream: Buffer): ControlEvent[] {
  const events: ControlEvent[] = [];
  let block: { words: string; lines: string[] } | null = null;
  for (const line of stream.toString('latin1').split('\n').slice(0, -1)) {
    const utf8 = Buffer.from(line, 'latin1').toString('utf8');
    if (block) {
      const [, how] = new RegExp(`^%(end|error) ${block.words}$`).exec(line) ?? [];
      if (!how) block.lines.push(utf8);
      else {
        const isAsked = Number(block.words.split(' ')[2]) % 2 === 1;
        if (isAsked) events.push({ kind: 'block', ok: how === 'end', lines: block.lines });
        else if (how === 'error') events.push({ kind: 'refused', lines: block.lines });
        block = null;
      }
      continue;
    }
    const [, words] = /^%begin (\d+ \d+ \d+)$/.exec(line) ?? [];
    const [, pane, written] = /^%output %(\d+) (.*)$/s.exec(line) ?? [];
    if (words) block = { words, lines: [] };
    else if (written !== undefined) addOutput(events, Number(pane), written);
    else events.push({ kind: 'notice', line: utf8 });
  }
  return events;
}

function addOutput(events: ControlEvent[], pane: number, written: string): void {
  const text = written.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));
  const last = events.at(-1);
  if (last?.kind === 'output' && last.pane === pane) last.text += text;
  else if (text !== '') events.push({ kind: 'output', pane, text });
}

const NOTICES = [
  '%window-close @4',
  '%layout-change @1 b25d,80x24,0,0,0',
  '%window-renamed @2 é中',
  '%exit',
  '',
];
const ROWS = [
  ...NOTICES,
  '%end 1 2 1',
  '%output %1 \\9',
  '%begin 1 2 1',
  'plain',
  '\\033[1m',
  '%error 9 9 1',
];

function randomOutput(random: Random): Buffer {
  const longest = random.of([1, 20, 4_000, 4_000]);
  const bytes = Array.from({ length: random.below(longest) }, () => random.below(256));
  // Runs of text, like most output.
  if (random.below(3) > 0) bytes.push(...Buffer.from('the quick brown fox\r\n'.repeat(random.below(30))));
  const written = bytes.map((byte) =>
    byte < 0x20 || byte === 0x5c ? `\\${byte.toString(8).padStart(3, '0')}` : String.fromCharCode(byte),
  );
  return Buffer.from(`%output %${random.of([1, 1, 2, 300])} ${written.join('')}`, 'latin1');
}

function randomAnswer(random: Random): Buffer {
  const words = `17000000${10 + random.below(90)} ${random.below(1_000)} ${random.below(4)}`;
  const raw = Buffer.from(Array.from({ length: 8 }, () => 0x20 + random.below(0xe0)));
  const rows = Array.from({ length: random.below(12) }, () => random.of([...ROWS, raw]));
  const lines = [`%begin ${words}`, ...rows, `%${random.of(['end', 'end', 'error'])} ${words}`];
  return Buffer.concat(
    lines.map((line, index) => Buffer.concat([Buffer.from(index ? '\n' : ''), Buffer.from(line)])),
  );
}
