import type { WaitAnswer, WaitOptions } from '../client/index.js';
import type { CommonOptions, Context } from './context.js';
import { EXIT, usageError } from './exit-codes.js';
import { type FormatOptions, printFacts } from './format.js';
import { oneTarget, type TargetOptions } from './targets.js';
import { msOf } from './verb.js';

/** Events in one terminal. "quiet" is called `idle` in the API; here "idle" would mean an idle agent. */
export const ONE_EVENTS = ['command', 'prompt', 'exit', 'quiet', 'text'] as const;
export type OneEvent = (typeof ONE_EVENTS)[number];

/** Options that only a wait in one terminal takes. */
export interface OneOptions {
  text?: string;
  regex?: string;
  echo?: boolean;
  quietFor?: number;
  since?: string;
}

type Options = CommonOptions &
  FormatOptions &
  TargetOptions &
  OneOptions & { until?: readonly string[]; mode?: string; seen?: string[]; timeoutMs: number };

/** Reasons why an event can no longer happen, by the reason of the wait's end. */
const WHY_NEVER: Partial<Record<WaitAnswer['reason'], string>> = {
  exit: 'the program has exited',
  'regex-too-slow': 'the regular expression takes too long; make it simpler',
};

/** Returns whether the options ask for an event in one terminal. */
export function isOfOne({
  until = [],
  text,
  regex,
  echo,
  quietFor,
  since,
}: Omit<Options, 'timeoutMs'>): boolean {
  return until.some(isOneEvent) || [text, regex, echo, quietFor, since].some((value) => value !== undefined);
}

function isOneEvent(event: string | undefined): event is OneEvent {
  return (ONE_EVENTS as readonly unknown[]).includes(event);
}

/** Waits for an event in one terminal, and prints the answer. */
export async function waitInOne(
  context: Context,
  targets: readonly string[],
  options: Options,
): Promise<void> {
  const body = bodyOf(options);
  const [target, ...others] = targets;
  if (target === undefined || others.length > 0 || options.selector !== undefined || options.all) {
    const fix = `Give one target; in many terminals, wait for failed, finished, exited, or what agents do`;
    throw usageError(`--until ${body.until === 'idle' ? 'quiet' : body.until} waits in one terminal`, fix);
  }
  const client = context.client(options);
  const { id } = await oneTarget(context, client, target);
  const answer = await client.terminals.get(id).waitFor({ ...body, signal: context.signal });
  await printFacts(context, factsOf(answer), { terminalId: id, ...answer }, options, id);
  if (answer.done) return;
  const isLate = answer.reason === 'timeout';
  const what = body.until === 'idle' ? 'quiet' : body.until;
  context.say(
    `auto-terminal: ${what}: ${isLate ? 'not in time' : (WHY_NEVER[answer.reason] ?? 'it did not happen')}`,
  );
  context.exitCode = isLate ? EXIT.timedOut : EXIT.failed;
}

/** Returns the body of the request. Throws for options that do not go together. */
export function bodyOf({ until = [], mode, seen, timeoutMs, ...options }: Options): WaitOptions {
  const { text, regex, echo, quietFor, since } = options;
  const [event = text !== undefined || regex !== undefined ? 'text' : undefined, ...more] = until;
  if (!isOneEvent(event) || more.length > 0 || mode !== undefined || seen !== undefined) {
    const fix = `Give one --until of ${ONE_EVENTS.join(', ')}, without --mode and --seen`;
    throw usageError('These options wait for one event in one terminal', fix);
  }
  if (
    (event === 'text') !== (text !== undefined || regex !== undefined) ||
    (text !== undefined && regex !== undefined)
  )
    throw usageError(
      '--until text takes either --text or --regex',
      'Give one of them, with --until text alone',
    );
  if (event !== 'text' && echo !== undefined) throw usageError('--echo goes with --until text alone');
  if (event !== 'quiet' && quietFor !== undefined)
    throw usageError('--quiet-for goes with --until quiet alone');
  return {
    until: event === 'quiet' ? 'idle' : event,
    ...{ text, regex, echo, since, timeoutMs },
    ...(quietFor !== undefined && { idleMs: Math.max(1, msOf(quietFor)) }),
  };
}

function factsOf(answer: WaitAnswer): Record<string, string> {
  const { reason, command, match, exitCode, exitCodeReason } = answer;
  const code = exitCode === undefined ? '' : String(exitCode ?? `unknown (${exitCodeReason ?? 'untold'})`);
  const facts = {
    event: reason === 'idle' ? 'quiet' : reason,
    'exit code': code,
    command: command?.commandLine ?? '',
    match: match ?? '',
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== ''));
}
