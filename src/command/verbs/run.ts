import { constants } from 'node:os';
import type { Command } from 'commander';
import {
  type AutoTerminal,
  type CreateOptions,
  NotFoundError,
  type Terminal,
  type WaitAnswer,
} from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { exactly } from '../exact-output.js';
import { CommandError, EXIT, shellCode } from '../exit-codes.js';
import { lostEnd } from '../lost-end.js';
import { notRun } from '../not-run.js';
import { ensureService } from '../start-service.js';
import { verb } from '../verb.js';
import { type CreationOptions, creationOf, noteIgnored, presentFolder, withCreation } from './new.js';

type Options = CommonOptions & CreationOptions & { detach?: boolean; keep?: boolean };

/** The request for the terminal, with the program and its arguments. */
type Body = CreateOptions & { command: string[] };

type End = { exitCode: number | null; signal: string | null };

const CTRL_C = '\x03';

/** `auto-terminal run -- program`: runs a program in a terminal of its own, and ends as it does. */
export function run(context: Context): Command {
  return withCreation(verb('run', 'Run a program in a terminal of its own: its output, and its exit code'))
    .argument('<command...>', 'program and arguments, after --; it reads its terminal, not standard input')
    .option('-d, --detach', 'print the id of the terminal, and do not wait')
    .option('--keep', 'keep the terminal when the program has ended')
    .passThroughOptions()
    .action(async (command: string[], options: Options) => {
      // Wrong options are reported before a service is started.
      const creation = creationOf(options);
      await ensureService(context, options);
      const client = context.client(options);
      const asked = { file: command[0] ?? '', cwd: options.cwd ?? presentFolder() };
      const body = { ...creation, command };
      const ran = options.detach ? detached : follow;
      await ran(context, client, body, options).catch((error: unknown) => {
        throw notRun(error, asked);
      });
    });
}

async function detached(context: Context, client: AutoTerminal, body: Body, options: Options): Promise<void> {
  const { id, created } = await client.terminals.create(body, inLine(context, options));
  noteIgnored(context, options, created);
  await context.write(`${id}\n`);
}

async function follow(context: Context, client: AutoTerminal, body: Body, options: Options): Promise<void> {
  const { command, env } = body;
  const exact = context.isTty ? command : exactly(command, env, context.env.PATH);
  const creating = client.terminals.create({ ...body, command: exact, hold: true }, inLine(context, options));
  // A second interrupt ends the program, even if the program ignores the first.
  context.signal.addEventListener('abort', () => interrupt(creating), { once: true });
  const closing = options.keep ? undefined : closeOnSignals(creating);
  const terminal = await creating;
  noteIgnored(context, options, terminal.created);
  context.leave = async () => {
    const say = (fate: string) =>
      context.say(`auto-terminal: the program ${fate}; to follow it: ${followerOf(terminal)}`);
    if (options.keep) say('goes on');
    else
      await terminal.close().catch((error: unknown) => {
        if (!(error instanceof NotFoundError)) say('may go on');
      });
  };
  const { exitCode, signal } = await ended(context, terminal).catch(async (error: unknown) => {
    // The output ends because the terminal was closed, and the signal ends this process next.
    await closing?.bySignal;
    throw lostEnd(error, `It may go on in ${terminal.id}; to follow it: ${followerOf(terminal)}`);
  });
  closing?.release();
  context.exitCode = shellCode(exitCode, signal, constants.signals);
  if (!options.keep) await terminal.close();
}

/** Writes the output; resolves with how the program has ended. */
async function ended(context: Context, terminal: Terminal): Promise<End> {
  const shown = context.isTty ? new (await import('../attach/unasking-output.js')).UnaskingOutput() : null;
  for await (const piece of terminal.stream({ from: 'start' }))
    await context.write(shown ? shown.take(piece) : piece);
  return endOf(terminal);
}

/**
 * Lets an interrupt end the wait in line. Without a wait, the terminal is created at once, and an interrupt could lose
 * its id.
 */
function inLine({ signal }: Context, { queue }: CreationOptions): { signal?: AbortSignal } {
  return queue === undefined ? {} : { signal };
}

function interrupt(creating: Promise<Terminal>): void {
  process.once('SIGINT', () => void creating.then((terminal) => terminal.close()).catch(() => undefined));
  creating.then((terminal) => terminal.type(CTRL_C)).catch(() => undefined);
}

interface Closing {
  /** Does not settle, once a signal ends the program; undefined before. */
  bySignal?: Promise<never>;
  release(): void;
}

/** Ends the program with a signal that ends this command: otherwise the program would run on unnoticed. */
function closeOnSignals(creating: Promise<Terminal>): Closing {
  const close = (signal: NodeJS.Signals) => {
    closing.release();
    closing.bySignal = new Promise(() => {});
    const closed = creating.then((terminal) => terminal.close()).catch(() => undefined);
    // Without a listener, the signal ends the process.
    void closed.then(() => process.kill(process.pid, signal));
  };
  const closing: Closing = {
    release: () => void process.off('SIGTERM', close).off('SIGHUP', close),
  };
  process.on('SIGTERM', close).on('SIGHUP', close);
  return closing;
}

function followerOf({ id }: Terminal): string {
  return `auto-terminal logs -f ${id}`;
}

async function endOf(terminal: Terminal): Promise<End> {
  const { status, exitCode = null, signal = null } = await terminal.info();
  if (status === 'exited') return { exitCode, signal };
  const answer: WaitAnswer = await terminal.waitFor({ until: 'exit' });
  if (answer.reason === 'exit') return endOf(terminal);
  throw new CommandError(EXIT.ownFailure, 'unknown-exit', 'It is not known how the program ended');
}
