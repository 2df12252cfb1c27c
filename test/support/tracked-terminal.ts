import pLimit from 'p-limit';
import { MAX_RENDERS } from '../../src/contract/limits.js';
import { readRange } from '../../src/workers/shard/output-range.js';
import type { StreamMessage } from '../../src/workers/shard/protocol.js';
import type { CommandMark, CommandPlan } from '../../src/workers/shard/stages/command-plan.js';
import { CommandTracker } from '../../src/workers/shard/stages/command-tracker.js';
import { screenActor as screenActorOf } from './screen-actor.js';

/** Position from which a shard takes the terminal; the beginning if absent. */
export interface Checkpoint {
  position: number;
  cols: number;
  rows: number;
  bytes: Uint8Array;
}

const NEW: Checkpoint = { position: 0, cols: 80, rows: 24, bytes: new Uint8Array() };

/** Returns a terminal's screen actor and its tracker, as in a shard, and the marks that the tracker posts. */
export function trackedTerminal(plan: CommandPlan, origin: Checkpoint = NEW) {
  const marks: CommandMark[] = [];
  const saved: Checkpoint[] = [];
  const faults: unknown[] = [];
  const fault = (error: unknown) => void faults.push(error);
  const renders = pLimit(MAX_RENDERS);
  const save = (checkpoint: Checkpoint) => void saved.push(checkpoint);
  const screenActor = screenActorOf(origin, { save, fault });
  const port = {
    post: (message: StreamMessage) => {
      if (message.type === 'mark') marks.push(message.mark);
    },
  };
  const tracker = new CommandTracker(
    { id: 't', screenActor, next: screenActor, port, fault },
    { position: origin.position, pending: screenActor.pending() },
    plan,
  );
  return {
    ...{ screenActor, tracker, marks, saved, faults },
    /** Resolves once the output is on the screen, and its marks are posted. */
    write: async (output: string | Uint8Array) => {
      tracker.write(Buffer.from(output));
      await screenActor.ask(() => undefined);
      // The tracker reads a short command line from the screen within this turn.
      await new Promise((resolve) => setImmediate(resolve));
    },
    save: async () => {
      screenActor.save();
      await screenActor.ask(() => undefined);
      return saved.at(-1)!;
    },
    /** Resolves with the text between two cursors. */
    text: async (start: string, end: string, raw = false) =>
      (
        await readRange(
          { ...{ screenActor, renders, tracker, secret: plan.nonce }, size: { rows: 24 }, printedAt: 0 },
          { start, end, raw, maxBytes: 1_000_000 },
        )
      ).text,
  };
}

/** Returns the output of a shell with this process id and the terminal's nonce. */
export function shell(pid: number, nonce = 'N') {
  const mark = (content: string) => `\x1b]133;${content};k=${nonce};s=${pid}\x07`;
  return {
    promptStart: mark('A'),
    promptEnd: mark('B'),
    outputStart: mark('C'),
    outputEnd: (status: number | '') => mark(`D;${status}`),
    commandLine: (line: string) => `\x1b]633;E;${line};${nonce};${pid}\x07`,
    cwd: (folder: string) => `\x1b]633;P;Cwd=${folder};${nonce};${pid}\x07`,
    /** A prompt; `run` is the input at the prompt, and everything up to the output. */
    prompt: (text = '$ ') => `${mark('A')}${text}${mark('B')}`,
    run: (line: string) => `${line}\r\n\x1b]633;E;${line};${nonce};${pid}\x07${mark('C')}`,
  };
}
