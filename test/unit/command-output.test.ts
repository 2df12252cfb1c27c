import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CommandMark } from '../../src/workers/shard/stages/command-plan.js';
import { cutUp } from '../support/cut-up.js';
import { shell, trackedTerminal } from '../support/tracked-terminal.js';

const OUTER = shell(100);
const INNER = shell(200);

/** Bytes that a program writes, and the text that a client reads of them. */
interface Written {
  bytes: string;
  text: string;
}

const same = (text: string): Written => ({ bytes: text.replaceAll('\n', '\r\n'), text });

const piece: fc.Arbitrary<Written> = fc.oneof(
  fc
    .string({ unit: fc.constantFrom('a', ' ', '\t', '\n', '日', 'é', '😀'), maxLength: 120 })
    .map((text) => same(text)),
  fc
    .constantFrom('\x1b[31m', '\x1b[m', '\x1b]0;title\x07', '\x07', '\x1b[K')
    .map((bytes) => ({ bytes, text: '' })),
  // Marks of programs that do not know the nonce.
  fc
    .constantFrom(
      '\x1b]133;D;9\x07',
      '\x1b]133;D;9;k=X;s=100\x07',
      '\x1b]133;A\x1b\\',
      '\x1b]633;E;rm;X;100\x07',
    )
    .map((bytes) => ({ bytes, text: '' })),
);

interface Run {
  pieces: Written[];
  /** A sequence that the program did not finish. */
  broken: string;
  status: number;
  isInner: boolean;
}

const command: fc.Arbitrary<Run> = fc.record({
  pieces: fc.array(piece, { maxLength: 8 }),
  broken: fc.constantFrom('', '', '', '\x1b[3', '\x1b]0;tit', '\x1b'),
  status: fc.nat(255),
  isInner: fc.boolean(),
});

const session = fc.record({
  commands: fc.array(command, { maxLength: 12 }),
  cuts: fc.array(fc.nat(), { maxLength: 12 }),
  /** Place of the shard's death, and number of bytes that the shard took beyond the last checkpoint. */
  death: fc.nat(),
  ahead: fc.nat(200),
});

/** Returns the whole output of a session of prompts and commands, some of them in a shell within the shell. */
function outputOf(commands: readonly Run[]): string {
  let output = OUTER.prompt();
  for (const { pieces, broken, status, isInner } of commands) {
    const written = pieces.map(({ bytes }) => bytes).join('') + broken;
    if (!isInner)
      output += `${OUTER.run('cmd')}${written}${OUTER.outputEnd(status)}${OUTER.prompt('\r\n$ ')}`;
    else {
      output += `${OUTER.run('sh')}${INNER.prompt('> ')}${INNER.run('cmd')}${written}${INNER.outputEnd(status)}`;
      output += `${INNER.prompt('> ')}exit\r\n${OUTER.outputEnd(0)}${OUTER.prompt()}`;
    }
  }
  return output;
}

/** Resolves with the exit code and output of each command called `cmd`. */
async function read(marks: readonly CommandMark[], text: (start: string, end: string) => Promise<string>) {
  const ends = new Map(marks.flatMap((mark) => (mark.kind === 'finished' ? [[mark.commandId, mark]] : [])));
  const started = marks.flatMap((mark) =>
    mark.kind === 'started' && mark.commandLine === 'cmd' ? [mark] : [],
  );
  return Promise.all(
    started.map(async ({ commandId, cursor }) => {
      const end = ends.get(commandId);
      return { status: end?.exitCode, text: end && (await text(cursor, end.cursor)) };
    }),
  );
}

it('exit code and output of each command are right, however the output is cut', async () => {
  const property = fc.asyncProperty(session, async ({ commands, cuts }) => {
    const { write, marks, text, faults } = trackedTerminal({ nonce: 'N' });
    for (const part of cutUp(Buffer.from(outputOf(commands)), cuts)) await write(part);
    expect(await read(marks, text)).toEqual(
      commands.map(({ pieces, status }) => ({ status, text: pieces.map(({ text }) => text).join('') })),
    );
    expect(faults).toEqual([]);
  });
  await fc.assert(property, { numRuns: 200 });
});

it('they are the same, each reported once, wherever the shard dies', async () => {
  const property = fc.asyncProperty(session, async ({ commands, death, ahead }) => {
    const output = Buffer.from(outputOf(commands));
    const at = death % (output.length + 1);
    const first = trackedTerminal({ nonce: 'N' });
    await first.write(output.subarray(0, at));
    const checkpoint = await first.save();
    await first.write(output.subarray(at, at + ahead));
    const state = first.marks.at(-1)?.state;
    const second = trackedTerminal({ nonce: 'N', ...(state && { state }) }, checkpoint);
    await second.write(output.subarray(at));
    const marks = [...first.marks, ...second.marks];
    const whole = trackedTerminal({ nonce: 'N' });
    await whole.write(output);
    // The shard loses a reported command line if it dies before the command begins, so the lines are not compared.
    const known = (mark: CommandMark) => ({ ...mark, at: 0, hrMs: 0, commandLine: undefined });
    expect(marks.map(known)).toEqual(whole.marks.map(known));
    expect([...first.faults, ...second.faults]).toEqual([]);
  });
  await fc.assert(property, { numRuns: 200 });
});
