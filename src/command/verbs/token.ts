import { rm, writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import {
  ApiError,
  type CreatedToken,
  NoServiceError,
  type TokenInfo,
  type TokenOptions,
} from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { inEach } from '../each.js';
import { type Column, type FormatOptions, OUTPUT, printFacts, printRows, QUIET } from '../format.js';
import { msOf, secondsOf, verb, verbsOf } from '../verb.js';

type Common = CommonOptions & FormatOptions;

const COLUMNS: readonly Column<TokenInfo>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'VERBS', value: ({ verbs }) => verbs.join(',') },
  { title: 'TERMINALS', value: reachOf },
  { title: 'EXPIRES', value: ({ expiresAt }) => timeOf(expiresAt) },
  { title: 'USED', value: ({ lastUsedAt }) => timeOf(lastUsedAt) },
  { title: 'MOST', value: ({ maxTerminals }) => String(maxTerminals ?? ''), wide: true },
  { title: 'RATE', value: ({ ratePerMinute }) => String(ratePerMinute ?? ''), wide: true },
  { title: 'MADE', value: ({ createdAt }) => timeOf(createdAt), wide: true },
  { title: 'WITH', value: ({ madeWith }) => madeWith ?? '', wide: true },
];

/** `auto-terminal token`: the tokens of guarded mode, which decide what clients may do. */
export function token(context: Context): Command {
  return verb(
    'token',
    'Make, list, rotate and revoke tokens: what clients may do while access.mode is guarded',
  )
    .enablePositionalOptions()
    .addCommand(create(context))
    .addCommand(list(context))
    .addCommand(show(context))
    .addCommand(rotate(context))
    .addCommand(revoke(context));
}

interface CreateOptions {
  name: string;
  verbs: TokenOptions['verbs'];
  selector?: string;
  own?: true;
  expires?: number;
  maxTerminals?: number;
  rate?: number;
  file?: string;
}

function create(context: Context): Command {
  return verb('create', 'Make a token, and print it with its text, which is shown this once')
    .requiredOption('-n, --name <name>', 'for readers, and for the audit log')
    .requiredOption(
      '--verbs <verbs>',
      'what it allows, with commas: read, type, run, control, record, search, takeover, admin',
      verbsOf,
    )
    .option('-s, --selector <labels>', 'only terminals with these labels, such as team=a')
    .option('--own', 'only terminals that are created with it')
    .option('--expires <seconds>', 'how long it lasts; a day by default', secondsOf)
    .option('--max-terminals <number>', 'how many terminals it may have at once', countOf)
    .option('--rate <number>', 'how many requests it may send a minute', countOf)
    .option('--file <path>', 'write its text into this new file, and do not print it')
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async ({ file, expires, ...options }: CreateOptions & Common) => {
      const { name, verbs, selector, own, maxTerminals, rate: ratePerMinute } = options;
      const body = { name, verbs, selector, own, maxTerminals, ratePerMinute, expiresInMs: msOf(expires) };
      const make = () => context.client(options).tokens.create(body, { signal: context.signal });
      await printMade(context, make, file, options);
    });
}

function rotate(context: Context): Command {
  return verb('rotate', 'Give a token another text, and print it, which is shown this once')
    .argument('<id>', 'id of the token')
    .option(
      '--overlap <seconds>',
      'how long the text so far still counts; it ends at once by default',
      secondsOf,
    )
    .option('--expires <seconds>', 'how long the token lasts from now on; as before by default', secondsOf)
    .option('--file <path>', 'write its text into this new file, and do not print it')
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (id: string, { file, overlap, expires, ...options }: RotateFlags & Common) => {
      const body = { overlapMs: msOf(overlap), expiresInMs: msOf(expires) };
      const { tokens } = context.client(options);
      const make = () => tokens.rotate(id, { ...body, signal: context.signal });
      await printMade(context, make, file, options);
    });
}

interface RotateFlags {
  overlap?: number;
  expires?: number;
  file?: string;
}

/** Makes the text of a token, and prints it, or writes it into a new file. */
async function printMade(
  context: Context,
  make: () => Promise<CreatedToken>,
  file: string | undefined,
  options: FormatOptions,
): Promise<void> {
  // The file comes first: a token that could not be written would be lost.
  if (file !== undefined) await writeFile(file, '', { mode: 0o600, flag: 'wx' });
  const made = await make().catch(async (error: unknown) => {
    // After any other error, a token may have been made.
    const isMade = !(error instanceof ApiError || error instanceof NoServiceError);
    if (file !== undefined && !isMade) await rm(file);
    throw error;
  });
  const { token: text, ...shown } = made;
  if (file !== undefined) await writeFile(file, `${text}\n`);
  const whole = file === undefined ? made : shown;
  const facts = {
    id: made.id,
    ...(file === undefined ? { token: text } : { file }),
    verbs: made.verbs.join(','),
    terminals: reachOf(made),
    expires: timeOf(made.expiresAt),
  };
  await printFacts(context, facts, whole, options, made.id);
}

function list(context: Context): Command {
  return verb('list', 'List the tokens that are valid, without their text')
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (options: Common) => {
      const rows = await context.client(options).tokens.list({ signal: context.signal });
      await printRows(context, rows, options, { columns: COLUMNS, id: ({ id }) => id, name: 'tokens' });
    });
}

function show(context: Context): Command {
  return verb('show', 'Show what you may do')
    .addOption(OUTPUT)
    .action(async (options: Common) => {
      const access = await context.client(options).tokens.self({ signal: context.signal });
      const { mode, verbs, token: shown } = access;
      const facts = {
        mode,
        verbs: verbs.join(','),
        ...(shown && { token: shown.name, terminals: reachOf(shown), expires: timeOf(shown.expiresAt) }),
      };
      await printFacts(context, facts, access, options, shown?.id);
    });
}

function revoke(context: Context): Command {
  return verb('revoke', 'Delete tokens, with those made from them, and break off what is open with them')
    .argument('<ids...>', 'ids of tokens')
    .action(async (ids: string[], options: CommonOptions) => {
      const client = context.client(options);
      await inEach(context, ids, 'revoked', (id) => client.tokens.delete(id, { signal: context.signal }));
    });
}

function countOf(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It is a whole number, such as 10.');
  return Number(text);
}

/** Returns in words the terminals that a token reaches. */
function reachOf({ selector, own, terminalId }: TokenInfo): string {
  const words = [terminalId ?? (own ? 'own' : undefined), selector ?? undefined];
  return words.filter((word) => word !== undefined).join(' ') || 'all';
}

function timeOf(ms: number | null): string {
  return ms === null ? '' : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
