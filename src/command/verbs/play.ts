import { constants } from 'node:os';
import type { ReadStream } from 'node:tty';
import { type Command, InvalidArgumentError } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { shellCode } from '../exit-codes.js';
import { exported } from '../finished-recording.js';
import type { OuterOut } from '../outer/outer-terminal.js';
import { openCast } from '../play/cast.js';
import { Player } from '../play/player.js';
import { ShownOutput } from '../play/shown-output.js';
import { Spool } from '../play/spool.js';
import { verb } from '../verb.js';

interface Options extends CommonOptions {
  speed: number;
  idleLimit?: number;
  start?: number;
}

const DESCRIPTION =
  'Play a recording in your terminal: space pauses, . then shows the next output, + and - change the speed, q leaves; ' +
  'without a terminal, print its output at once';

/** `auto-terminal play`: a recording in the person's terminal. */
export function play(context: Context): Command {
  return verb('play', DESCRIPTION)
    .argument('<recording>', 'id of the recording')
    .option('-s, --speed <factor>', 'such as 0.5 or 2', speedOf, 1)
    .option('-i, --idle-limit <seconds>', 'longest time without output', secondsOf)
    .option('--start <seconds>', 'show what comes before this time at once', secondsOf)
    .action(async (id: string, options: Options) => {
      const client = context.client(options);
      const stopping = new AbortController();
      const stop = () => stopping.abort(context.signal.reason);
      context.signal.addEventListener('abort', stop, { once: true });
      const bytes = exported(client, id, 'asciicast', { signal: stopping.signal });
      try {
        if (context.isTty) await show(context, bytes, options);
        else await print(context, bytes);
      } finally {
        context.signal.removeEventListener('abort', stop);
        stopping.abort();
      }
    });
}

async function print(context: Context, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const output = new ShownOutput();
  const { events } = await openCast(bytes);
  for await (const { data } of events) await context.write(output.take(data));
}

async function show(
  context: Context,
  bytes: AsyncIterable<Uint8Array>,
  { speed, idleLimit, start }: Options,
): Promise<void> {
  const stdout = context.stdout as OuterOut;
  const spool = await Spool.of(bytes);
  try {
    const { size } = await openCast(spool.read());
    const [cols, rows] = stdout.getWindowSize();
    if (size.cols > cols || size.rows > rows)
      context.say(`The recording is ${size.cols}x${size.rows}, and this terminal only ${cols}x${rows}`);
    const player = new Player({
      stdin: context.stdin.isTTY ? (context.stdin as ReadStream) : undefined,
      ...{ stdout, signal: context.signal, speed, idleLimit, start },
      events: () => outputOf(spool),
    });
    const ended = await player.run();
    // As after attach, a process whose terminal is gone ends by the signal.
    if (player.isLost) process.kill(process.pid, 'SIGHUP');
    else if (ended !== undefined) context.exitCode = shellCode(null, ended, constants.signals);
  } finally {
    await spool.close();
  }
}

async function* outputOf(spool: Spool) {
  yield* (await openCast(spool.read())).events;
}

function speedOf(value: string): number {
  const speed = Number(value);
  if (!(speed > 0 && speed < Number.POSITIVE_INFINITY))
    throw new InvalidArgumentError('Give a number above 0.');
  return speed;
}

function secondsOf(value: string): number {
  const seconds = Number(value);
  if (value.trim() === '' || !(seconds >= 0)) throw new InvalidArgumentError('Give seconds, at least 0.');
  return seconds;
}
