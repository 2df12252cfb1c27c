import { text } from 'node:stream/consumers';
import { Option } from 'commander';
import type { AutoTerminal, TerminalInfo } from '../client/index.js';
import type { Context } from './context.js';
import { CommandError, EXIT, usageError } from './exit-codes.js';

export interface TargetOptions {
  selector?: string;
  all?: boolean;
}

export const SELECTOR = new Option(
  '-l, --selector <labels>',
  'terminals with all of these labels, such as role=test,repo=api',
);
export const ALL = new Option('--all', 'all running terminals');

/** What a target may be, for help texts. */
export const TARGET_HELP = 'id, the beginning of an id, name, "me", or "-" for ids from standard input';

const ME_VARIABLE = 'SERVICE_TERMINAL_ID';
/** Characters of an id that name it if no other id begins so. */
const MIN_PREFIX = 4;
const ID_START = 'term_';

/** Resolves with the only terminal that the target names. */
export async function oneTarget(
  context: Context,
  client: AutoTerminal,
  target: string,
): Promise<TerminalInfo> {
  const [found, ...others] = await named(context, client, [target]);
  if (!found || others.length > 0) throw usageError('This command takes one terminal');
  return found;
}

/** Resolves with the ids of all terminals that the targets and the options name, each once. */
export async function manyTargets(
  context: Context,
  client: AutoTerminal,
  targets: readonly string[],
  { selector, all = false }: TargetOptions,
): Promise<string[]> {
  const ways = [targets.length > 0, selector !== undefined, all].filter(Boolean).length;
  if (ways === 0)
    throw usageError('No terminal is named', `Give a target (${TARGET_HELP}), -l labels, or --all`);
  if (ways > 1) throw usageError('Targets, -l and --all exclude each other');
  const found =
    targets.length > 0
      ? await named(context, client, targets)
      : await client.terminals.list({ selector, signal: context.signal });
  return [...new Set(found.map(({ id }) => id))];
}

async function named(
  context: Context,
  client: AutoTerminal,
  targets: readonly string[],
): Promise<TerminalInfo[]> {
  const words = await Promise.all(targets.map((target) => wordsOf(context, target)));
  const terminals = await client.terminals.list({ status: 'all', signal: context.signal });
  return words.flat().map((word) => find(terminals, word));
}

/** Returns the target itself, or what it stands for. */
async function wordsOf(context: Context, target: string): Promise<string[]> {
  if (target === '-') return (await text(context.stdin)).split(/\s+/).filter((word) => word !== '');
  if (target !== 'me') return [target];
  const id = context.env[ME_VARIABLE];
  if (id === undefined)
    throw usageError('"me" is the terminal of the caller, and this is none of the service');
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
  const candidates = found.map(({ id, name }) => `${id} (${name})`).join(', ');
  throw new CommandError(
    EXIT.notFound,
    'ambiguous-target',
    `${JSON.stringify(word)} may be any of: ${candidates}`,
    'Give an id',
  );
}
