import { describe, expect, it } from 'vitest';
import { HISTORY_BYTES } from '../../src/contract/limits.js';
import { History } from '../../src/workers/shard/history.js';
import type { Mark, MarkContent } from '../../src/workers/shard/stages/mark.js';
import { ShellRanges } from '../../src/workers/shard/stages/shell-ranges.js';
import { drain } from '../../src/workers/shard/steps.js';
import { ProgramText } from '../../src/workers/shard/waits/program-text.js';

/** The output of a shell that reports its prompts, in a terminal of 40 columns and 6 rows. */
function shell() {
  const history = new History(HISTORY_BYTES, 0, { cols: 40, rows: 6 });
  const ranges = new ShellRanges(0, undefined);
  let end = 0;
  let reads = 0;
  const counted: Pick<History, 'between'> = {
    between: (from, to) => {
      reads++;
      return history.between(from, to);
    },
  };
  const print = (text: string) => {
    const bytes = Buffer.from(text);
    history.append(bytes);
    end += bytes.length;
  };
  /** Prints a mark as long as the shortest mark. */
  const mark = (content: MarkContent) => {
    const begin = end;
    print('\x1b]133;A;k=0123456789abcdef\x07');
    ranges.take({ ...content, key: '', pid: 1, begin, end } satisfies Mark);
  };
  return {
    print,
    /** Prints a prompt, the text typed and printed at the prompt, and the output of the command. */
    run(typed: string, output: string, commandLine: string) {
      mark({ kind: 'promptStart' });
      print('$ ');
      mark({ kind: 'promptEnd' });
      print(typed);
      mark({ kind: 'commandLine', commandLine });
      mark({ kind: 'outputStart' });
      print(output);
    },
    pack: () => history.pack(),
    texts() {
      reads = 0;
      const steps = new ProgramText(ranges).textSteps({ history: counted, begin: 0, end }, true);
      return { texts: drain(steps), reads };
    },
  };
}

describe('the texts of programs', () => {
  it('are what they printed, and lines that background jobs printed at a prompt', () => {
    const { run, texts } = shell();
    run('lx\b\x1b[Ks\r\n', 'a\r\nb\r\n', 'ls');
    run('job is ready\r\ntrue\r\n', 'x\x1b[D\x1b[Ky', 'true');
    expect(texts().texts).toEqual(['a\nb\n', 'job is ready', 'y']);
  });

  it('are read at once, however many there are', () => {
    const { run, pack, texts } = shell();
    for (let line = 0; line < 500; line++) run('x\by\r\n', `${line}\r\n`, 'y');
    pack();
    const all = texts();
    expect(all.texts).toEqual(Array.from({ length: 500 }, (_, line) => `${line}\n`));
    expect(all.reads).toBe(1);
  });

  it('are known of all output that the history keeps, however short each is', () => {
    const { run, print, texts } = shell();
    const commands = Math.ceil((3 * HISTORY_BYTES) / 100);
    for (let line = 0; line < commands; line++) run('', 'x', '');
    print('the end');
    const all = texts().texts.join('');
    // One of each 100 bytes and more of the history is the program's.
    const each = 4 * '\x1b]133;A;k=0123456789abcdef\x07'.length + '$ x'.length;
    expect(all.length).toBeGreaterThan(HISTORY_BYTES / each - 2);
    expect(all).toMatch(/^x*the end$/);
  });
});
