import { Option } from 'commander';
import type { AutoTerminal, TerminalInfo } from '../client/index.js';
import type { Context } from './context.js';
import { CommandError, EXIT, usageError } from './exit-codes.js';
import { standardInput } from './input.js';
import { oneLine } from './one-line.js';

export interface TargetOptions {
  selector?: string;
  all?: boolean;
}

export const SELECTOR = new Option(
  '-l, --selector <labels>',
  'terminals with all of these labels, such as role=test,repo=api',
);
export const ALL = new Option('--all', 'all running terminals');

/** Forms of a target, for help texts. */
export const TARGET_HELP = 'id, the beginning of an id, name, "me", or "-" for ids from standard input';

/** Variable with the id of the terminal that a command runs in. */
export const ME_VARIABLE = 'SERVICE_TERMINAL_ID';
/** Least characters of an id that name it if no other id begins with them. */
const MIN_PREFIX = 4;
const ID_START = 'term_';

/** Code of the error when no terminal matches: none that runs has the labels, no terminal exists, or standard input is empty. */
export const NO_MATCH = 'no-match';

const LISTED = 'auto-terminal ls lists the running terminals, with their labels';

interface Wanted {
  /** An exited terminal is an error. */
  mustRun?: boolean;
}

/** Resolves with the only terminal that the target names. */
export async function oneTarget(
  context: Context,
  client: AutoTerminal,
  target: string,
  { mustRun = false }: Wanted = {},
): Promise<TerminalInfo> {
  const [found, ...others] = await named(context, client, [target]);
  if (!found || others.length > 0) {
    const count = found ? `names ${others.length + 1}` : 'names none';
    throw usageError(`This verb takes one terminal, and ${JSON.stringify(target)} ${count}`, 'Give one id');
  }
  if (mustRun) refuseExited(found);
  return found;
}

/** Resolves with the ids of all terminals that the targets and the options name, each once. */
export async function manyTargets(
  context: Context,
  client: AutoTerminal,
  targets: readonly string[],
  { selector, all = false }: TargetOptions,
  { mustRun = false }: Wanted = {},
): Promise<string[]> {
  const ways = [targets.length > 0, selector !== undefined, all].filter(Boolean).length;
  if (ways === 0)
    throw usageError('No terminal is named', `Give a target (${TARGET_HELP}), -l labels, or --all`);
  if (ways > 1) throw usageError('Targets, -l and --all exclude each other', 'Give only one of them');
  if (targets.length === 0) {
    const listed = await client.terminals.list({ selector, signal: context.signal });
    if (listed.length === 0) throw noMatch(selector);
    return listed.map(({ id }) => id);
  }
  const found = await named(context, client, targets);
  if (found.length === 0)
    throw new CommandError(EXIT.notFound, NO_MATCH, 'Standard input names no terminal', LISTED);
  if (mustRun) found.forEach(refuseExited);
  return [...new Set(found.map(({ id }) => id))];
}

/** Returns the error for a selector that no running terminal matches. */
export function noMatch(selector: string | undefined): CommandError {
  const which = selector === undefined ? '' : ` with the labels ${selector}`;
  return new CommandError(EXIT.notFound, NO_MATCH, `No terminal runs${which}`, LISTED);
}

/** Says that nothing is left to print of a terminal, as far as that is so. */
export function sayIfLost(context: Context, { id, reason }: Pick<TerminalInfo, 'id' | 'reason'>): void {
  if (reason === 'host-lost') context.say(`auto-terminal: the output of ${id} was lost with its pty host`);
}

function refuseExited({ id, name, status, ...terminal }: TerminalInfo): void {
  if (status !== 'exited') return;
  const { signal, exitCode, reason } = terminal;
  const isLost = reason === 'host-lost';
  const code = exitCode == null ? '' : ` with ${exitCode}`;
  const how = signal ? `was ended by ${signal}` : isLost ? 'was lost with its pty host' : `has exited${code}`;
  const drop = `auto-terminal close ${id} drops it`;
  const fix = isLost ? drop : `auto-terminal logs ${id} prints its output; ${drop}`;
  throw new CommandError(EXIT.notFound, 'terminal-exited', `${id} (${oneLine(name)}) ${how}`, fix);
}

async function named(
  context: Context,
  client: AutoTerminal,
  targets: readonly string[],
): Promise<TerminalInfo[]> {
  const words = await Promise.all(targets.map((target) => wordsOf(context, client, target)));
  const terminals = await client.terminals.list({ status: 'all', signal: context.signal });
  return words.flat().map((word) => find(terminals, word));
}

/** Returns the target itself, or the ids and names that it means. */
async function wordsOf(context: Context, client: AutoTerminal, target: string): Promise<string[]> {
  if (target === '-') return (await standardInput(context)).split(/\s+/).filter((word) => word !== '');
  if (target !== 'me') return [target];
  // Shells with a clean environment lose the variable; the service then knows its own terminals by their processes.
  const id = context.env[ME_VARIABLE] || (await client.caller({ signal: context.signal })).terminalId;
  if (id === null)
    throw usageError(
      '"me" is the terminal of the caller, and this shell is in no terminal of the service',
      `Give an id or a name; ${ME_VARIABLE} is not set here`,
    );
  return [id];
}

function find(terminals: readonly TerminalInfo[], word: string): TerminalInfo {
  const exact = terminals.find(({ id }) => id === word);
  if (exact) return exact;
  const names = terminals.filter(({ name }) => name === word);
  const running = names.filter(({ status }) => status === 'running');
  const byName = running.length > 0 ? running : names;
  const prefix = word.startsWith(ID_START) ? word : ID_START + word;
  const isLong = prefix.length >= ID_START.length + MIN_PREFIX;
  const found =
    byName.length > 0 ? byName : isLong ? terminals.filter(({ id }) => id.startsWith(prefix)) : [];
  if (found.length === 1) return found[0]!;
  if (found.length === 0) {
    const fix = 'auto-terminal ls --all lists the terminals, with exited ones';
    throw new CommandError(
      EXIT.notFound,
      'terminal-not-found',
      `No terminal is called ${JSON.stringify(word)}`,
      fix,
    );
  }
  const candidates = found.map(({ id, name }) => `${id} (${oneLine(name)})`).join(', ');
  throw new CommandError(
    EXIT.notFound,
    'ambiguous-target',
    `${JSON.stringify(word)} may be any of: ${candidates}`,
    'Give an id',
  );
}
