import { type Command, InvalidArgumentError } from 'commander';
import type { AuditEntry, AutoTerminal } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { areLinesJson, type FormatOptions, LINES, OUTPUT, printFacts } from '../format.js';
import { oneLine } from '../one-line.js';
import { oneTarget } from '../targets.js';
import { verb } from '../verb.js';

type Options = CommonOptions &
  FormatOptions & { follow?: boolean; terminal?: string; by?: string; action?: string; since?: Date };

/** `auto-terminal audit`: the log of clients' actions. */
export function audit(context: Context): Command {
  return verb(
    'audit',
    'Show who has typed, created, closed and changed what; the setting audit.enabled keeps it',
  )
    .option('-f, --follow', 'go on with what is done from now on')
    .option(
      '--terminal <terminal>',
      'only what was done to this terminal: its name, its id, or how its id begins',
    )
    .option(
      '--by <who>',
      'only what was done by: user, agent, service, mcp, fleet, or the name of a terminal',
    )
    .option('--action <beginning>', 'only actions that begin so, such as type or DELETE')
    .option('--since <time>', 'only what was done from then on, such as 2026-11-26T08:00', timeOf)
    .addOption(LINES)
    .action(async ({ terminal, since, output, follow, by, action, ...options }: Options) => {
      const client = context.client(options);
      const target = terminal === undefined ? undefined : await idOf(context, client, terminal);
      const query = { follow, by, action, terminal: target, since: since?.getTime(), signal: context.signal };
      await sayIfOff(context, client);
      await printLines(context, client.audit.lines(query), areLinesJson(context, output));
    })
    .addCommand(verify(context));
}

function verify(context: Context): Command {
  return verb('verify', 'Check that no line of the audit log was changed, added or taken away')
    .addOption(OUTPUT)
    .action(async ({ output, ...options }: CommonOptions & FormatOptions) => {
      context.leave = () => undefined;
      const check = await context.client(options).audit.verify({ signal: context.signal });
      const { isWhole, first, last, fault } = check;
      const lines = last === 0 ? 'no lines' : `lines ${first} to ${last}`;
      const found = isWhole ? `whole: ${lines}` : `not whole after ${lines}`;
      await printFacts(context, { log: found }, check, { ...(output && { output }) });
      if (fault)
        throw new CommandError(
          EXIT.failed,
          'audit-not-whole',
          `${fault.file}, line ${fault.row}: ${fault.why}`,
        );
    });
}

/** Returns the id of a terminal, which may be gone: the log still has it. */
async function idOf(context: Context, client: AutoTerminal, terminal: string): Promise<string> {
  if (/^term_[a-z0-9]{12}$/.test(terminal)) return terminal;
  return (await oneTarget(context, client, terminal)).id;
}

function timeOf(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('It is a time, such as 2026-11-26 or 2026-11-26T08:00.');
  return time;
}

/** Says that nothing is kept now: otherwise no lines would seem to mean that nothing was done. */
export async function sayIfOff(context: Context, client: AutoTerminal): Promise<void> {
  const { audit } = await client.settings.get({ signal: context.signal });
  if (audit.enabled) return;
  context.say('auto-terminal: the audit log is off: what is done now is not kept');
  context.say('auto-terminal config set audit.enabled true turns it on');
}

/** Prints lines of the log: as JSON, or for people. */
export async function printLines(
  context: Context,
  entries: AsyncIterable<AuditEntry>,
  isJson: boolean,
): Promise<void> {
  for await (const entry of entries)
    await context.write(`${isJson ? JSON.stringify(entry) : lineOf(entry)}\n`);
}

/** Returns a line of the log for people. */
function lineOf({ n, at, action, by, terminalId, terminalIds = [], ...rest }: AuditEntry): string {
  const who = [by?.kind, by?.machineId ?? by?.name ?? by?.terminalId].filter(Boolean).join(' ');
  const where = [terminalId, ...terminalIds].filter(Boolean).join(' ');
  const words = [
    `${new Date(at).toISOString().slice(0, 19)}Z`,
    String(n),
    who.padEnd(14),
    action,
    where,
    detailsOf(rest),
  ];
  return oneLine(words.join('  '));
}

function detailsOf(entry: Omit<AuditEntry, 'n' | 'at' | 'action'>): string {
  const { of, secret, text, bytes, settings, status, code, repeated } = entry;
  return [
    of !== undefined && `of ${of}`,
    secret && 'a secret',
    text === undefined ? bytes !== undefined && `${bytes} bytes` : JSON.stringify(text),
    settings?.join(', '),
    status,
    code,
    repeated && 'again',
  ]
    .filter((word) => word !== undefined && word !== false)
    .join('  ');
}
