import { describe, expect, it, vi } from 'vitest';
import { newMarkState } from '../../src/workers/shard/stages/command-levels.js';
import type { CommandMark, MarkState } from '../../src/workers/shard/stages/command-plan.js';
import { linesOf } from '../support/screen-rows.js';
import { shell, trackedTerminal } from '../support/tracked-terminal.js';

const SH = shell(100);
const PLAN = { nonce: 'N' };

/** The marks without values that differ from run to run. */
function told(marks: readonly CommandMark[]) {
  return marks.map((mark) => {
    if (mark.kind === 'prompt') return `prompt in ${mark.cwd}`;
    if (mark.kind === 'started') return `started ${mark.commandLine}`;
    return mark.kind === 'finished' ? `finished ${mark.exitCode}` : mark.kind;
  });
}

function started(marks: readonly CommandMark[]) {
  return marks.find((mark) => mark.kind === 'started')!;
}

function finished(marks: readonly CommandMark[]) {
  return marks.find((mark) => mark.kind === 'finished')!;
}

describe('CommandTracker', () => {
  it('reports prompts and commands, and passes all output on', async () => {
    const { write, marks, screenActor, faults } = trackedTerminal(PLAN);
    await write(`${SH.cwd('/tmp')}${SH.prompt()}`);
    await write(`${SH.run('echo hi')}hi\r\n${SH.outputEnd(0)}${SH.prompt()}`);
    expect(told(marks)).toEqual(['prompt in /tmp', 'started echo hi', 'finished 0', 'prompt in /tmp']);
    expect(await screenActor.ask(({ screen }) => linesOf(screen))).toEqual(['$ echo hi', 'hi', '$']);
    expect(faults).toEqual([]);
  });

  it('posts later marks, and answers, after a mark that could not be posted', async () => {
    const { write, marks, tracker, faults } = trackedTerminal(PLAN);
    vi.spyOn(marks, 'push').mockImplementationOnce(() => {
      throw new Error('the port is closed');
    });
    await write(SH.prompt());
    await write(SH.run('echo hi'));
    await tracker.posted;
    expect(told(marks)).toEqual(['started echo hi']);
    expect(faults).toEqual([new Error('the port is closed')]);
  });

  it('gives the range of the output without the marks', async () => {
    const { write, marks, text } = trackedTerminal(PLAN);
    await write(`${SH.prompt()}${SH.run('x')}a\t\x1b[1mb\x1b[m \r\n\r\nno end${SH.outputEnd(1)}`);
    const [start, end] = [started(marks).cursor, finished(marks).cursor];
    expect(await text(start, end)).toBe('a\tb \n\nno end');
    const isRaw = true;
    expect(await text(start, end, isRaw)).toBe('a\t\x1b[1mb\x1b[m \r\n\r\nno end');
  });

  it('ignores marks without the nonce, which stay in the output', async () => {
    const { write, marks, text } = trackedTerminal(PLAN);
    const forged = `${shell(100, 'X').outputEnd(0)}\x1b]133;D;0\x07\x1b]133;D;0;k=N\x07`;
    await write(`${SH.prompt()}${SH.run('x')}a${forged}b\r\n${SH.outputEnd(7)}`);
    expect(told(marks)).toEqual(['prompt in null', 'started x', 'finished 7']);
    const isRaw = true;
    expect(await text(started(marks).cursor, finished(marks).cursor, isRaw)).toBe(
      `a${forged.replace('k=N', 'k=*')}b\r\n`,
    );
  });

  it('gives a command the id of its place in the output', async () => {
    const { write, marks } = trackedTerminal(PLAN);
    const before = `${'.'.repeat(1_000)}${SH.commandLine('x')}`;
    await write(`${before}${SH.outputStart}`);
    expect(marks).toMatchObject([{ kind: 'started', commandId: `cmd_${before.length.toString(36)}` }]);
  });

  it.each([
    ['a line', 'ls -la', 'ls -la'],
    ['a mended line', 'lss\b \b -la', 'ls -la'],
    ['a line that wraps', 'x'.repeat(200), 'x'.repeat(200)],
    ['several lines', 'for i in 1\r\n> do echo\r\n> done', 'for i in 1\n> do echo\n> done'],
    ['a prompt that is drawn again', `ls\r\x1b[K$ ${SH.promptEnd}ls -la`, 'ls -la'],
  ])(
    'reads a command line off the screen if the shell does not report it: %s',
    async (_name, typed, line) => {
      const { write, marks } = trackedTerminal(PLAN);
      await write(`before\r\n${SH.prompt('two lines\r\n$ ')}`);
      await write(`${typed}\r\n\x1b[?2004l\r${SH.outputStart}output\r\n${SH.outputEnd(0)}`);
      expect(started(marks)).toMatchObject({ commandLine: line });
    },
  );

  it('keeps the order, although reading a line off the screen takes time', async () => {
    const { write, marks } = trackedTerminal(PLAN);
    const output = Array.from(
      { length: 20 },
      (_, index) => `${SH.prompt()}command ${index}\r\n${SH.outputStart}${SH.outputEnd(index)}`,
    );
    await write(output.join(''));
    expect(told(marks)).toEqual(
      Array.from({ length: 20 }, (_, index) => [
        `prompt in null`,
        `started command ${index}`,
        `finished ${index}`,
      ]).flat(),
    );
  });

  it('timestamps marks when they arrive', async () => {
    const { write, marks } = trackedTerminal(PLAN);
    const before = Number(process.hrtime.bigint()) / 1e6;
    await write(SH.prompt());
    await write(`${SH.run('x')}${SH.outputEnd(0)}`);
    const times = [before, ...marks.map(({ hrMs }) => hrMs), Number(process.hrtime.bigint()) / 1e6];
    expect(times).toEqual([...times].sort((a, b) => a - b));
    for (const { at } of marks) expect(Math.abs(Date.now() - at)).toBeLessThan(60_000);
  });

  it('accepts the marks of an expected token', async () => {
    const { write, marks, tracker } = trackedTerminal(PLAN);
    await write('\x1b]133;C;k=T\x07');
    tracker.expect('T');
    await write('\x1b]133;C;k=T\x07out\r\n\x1b]133;D;3;k=T\x07\x1b]133;C;k=T\x07');
    expect(told(marks)).toEqual(['started ', 'finished 3']);
    expect(marks.map(({ state }) => state.tokens)).toEqual([['T'], []]);
  });

  it('ends the open commands when the terminal exits, and resolves once that is reported', async () => {
    const { write, marks, tracker, screenActor } = trackedTerminal(PLAN);
    await write(`${SH.prompt()}${SH.run('exit 3')}bye\r\n`);
    const order: string[] = [];
    await tracker.exited(3)?.then(() => order.push(...told(marks)));
    expect(order).toEqual(['prompt in null', 'started exit 3', 'finished 3']);
    expect(finished(marks).state).toMatchObject({ levels: [], atPrompt: false });
    screenActor.close(new Error('over'));
    expect(trackedTerminal(PLAN).tracker.exited(0)).toBeUndefined();
  });

  it('reports nothing more, and no fault, of a closed terminal', async () => {
    const { tracker, screenActor, marks, faults } = trackedTerminal(PLAN);
    const { DomainError } = await import('../../src/contract/errors.js');
    // The screen has to parse this output first, so the marks wait.
    tracker.write(Buffer.from(`\x1b[H${SH.prompt()}${SH.run('x')}`));
    const told = tracker.exited(0);
    screenActor.close(new DomainError('terminal-not-found'));
    await told;
    expect([marks, faults]).toEqual([[], []]);
  });
});

describe('the shard after one that died', () => {
  const output = `${SH.prompt()}${SH.run('first')}one\r\n${SH.outputEnd(1)}${SH.prompt()}second\r\n${SH.outputStart}two\r\n${SH.outputEnd(2)}`;

  it('reports the rest, wherever the first had come to and its checkpoint was', async () => {
    const whole = trackedTerminal(PLAN);
    await whole.write(output);
    const all = told(whole.marks);
    for (let cut = 0; cut <= output.length; cut += 3) {
      const first = trackedTerminal(PLAN);
      await first.write(output.slice(0, cut));
      const checkpoint = await first.save();
      const state: MarkState = first.marks.at(-1)?.state ?? newMarkState();
      // The output between the checkpoint and the death was already reported, and is replayed.
      const ahead = Math.min(output.length, cut + 40);
      await first.write(output.slice(cut, ahead));
      const second = trackedTerminal({ nonce: 'N', state: first.marks.at(-1)?.state ?? state }, checkpoint);
      await second.write(output.slice(cut));
      expect([...told(first.marks), ...told(second.marks)], `cut at ${cut}`).toEqual(all);
      expect(second.faults).toEqual([]);
    }
  });

  it('does its best if marks are lost', async () => {
    const state: MarkState = {
      position: 10,
      levels: [{ pid: 100, running: { commandId: 'cmd_5', start: '5-0-0-0' } }],
      atPrompt: false,
      cwd: '/',
      tokens: [],
    };
    const second = trackedTerminal(
      { nonce: 'N', state },
      { position: 5_000, cols: 80, rows: 24, bytes: new Uint8Array() },
    );
    await second.write(`${SH.prompt()}${SH.run('next')}${SH.outputEnd(0)}`);
    expect(told(second.marks)).toEqual(['finished null', 'prompt in /', 'started next', 'finished 0']);
    expect(second.faults).toEqual([]);
  });
});
