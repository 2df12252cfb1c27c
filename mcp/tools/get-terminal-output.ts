import { z } from 'zod';
import { NotFoundError } from '../../src/client/index.js';
import { DEFAULT_OUTPUT_LINES, MAX_TOOL_LINES } from '../../src/contract/limits.js';
import { OutputPage } from '../../src/contract/terminal.js';
import { terminalOf } from '../caller.js';
import { answered } from '../service.js';
import { defineTool, type ToolContext } from '../tool.js';
import { machineOf, onMachine } from './anywhere.js';
import { isTerminalId, TerminalId } from './terminal-id.js';

const input = z.strictObject({
  terminalId: TerminalId,
  lines: z
    .int()
    .min(0)
    .max(MAX_TOOL_LINES)
    .optional()
    .describe(`How many lines; default ${DEFAULT_OUTPUT_LINES}, with \`since\` all new lines`),
  offset: z
    .int()
    .min(0)
    .default(0)
    .describe('How many lines to go back: the page ends this many lines before the last line; default 0'),
  since: z
    .string()
    .optional()
    .describe(
      'The cursor of an earlier answer for this terminal: returns only what was printed after it, as it ' +
        'was printed, so that the `raw` texts of successive answers join exactly',
    ),
});

const output = OutputPage.extend({
  terminalId: z.string(),
  totalLines: z.int().describe('Number of lines that are not empty; with `since`, of new lines'),
  offset: z.int().describe('How many lines before the last line `raw` ends'),
  cursor: OutputPage.shape.cursor.describe(
    'Pass it as `since` to read only what comes next; absent for a terminal that does not exist',
  ),
});

export const getTerminalOutput = defineTool({
  name: 'get_terminal_output',
  title: 'Read what a terminal printed',
  description:
    'Reads the last lines of a terminal, scrollback included, as plain text: without escape sequences and ' +
    'empty lines, and with wrapped rows joined. Use it after execute_command without wait, or to see what ' +
    'is happening in a terminal. Returns `raw` (the lines), `totalLines` and a `cursor`. For older lines, ' +
    'repeat it with offset = the number of lines you have. To follow a program, pass the cursor of the ' +
    'previous answer as `since`: you get only what is new (`gap`: some of it was lost). For a full-screen ' +
    'program, such as an editor or an agent, get_terminal_screen is better.',
  verbs: ['read'],
  annotations: { readOnlyHint: true, openWorldHint: false },
  input,
  output,
  run: async ({ terminalId, lines: asked, offset, since }, context) => {
    const id = terminalOf(terminalId, context);
    if (!isTerminalId(id)) return unknown(id);
    const count = asked ?? (since === undefined ? DEFAULT_OUTPUT_LINES : MAX_TOOL_LINES);
    // The API counts offsets from the beginning, which moves as lines are dropped. So the end is read and cut.
    const query = { lines: Math.min(count + offset, MAX_TOOL_LINES), since };
    const read = await readAnywhere(id, query, context);
    if (read?.cursor === undefined) return unknown(id);
    const { raw, totalLines, cursor, gap } = read;
    const isNew = since !== undefined;
    const lines = pageBack(isNew ? newLines(raw) : linesOf(raw), count, offset);
    const shown = lines.join(isNew ? '' : '\n');
    const page = { raw: shown, totalLines, offset, cursor, ...(gap !== undefined && { gap }) };
    const last = `[${told({ ...page, shown: lines.filter((line) => line.trim() !== '').length, isNew })}]`;
    const text = shown === '' || shown.endsWith('\n') ? `${shown}${last}` : `${shown}\n${last}`;
    return { structured: { terminalId: id, ...page }, text };
  },
});

/** Resolves with the end of the output of a terminal here, or on the machine of the fleet that has it. */
async function readAnywhere(
  id: string,
  query: { lines: number; since: string | undefined },
  context: ToolContext,
): Promise<OutputPage | undefined> {
  const read = await readLines(id, query, context);
  if (read?.cursor !== undefined) return read;
  const machineId = await machineOf(id, context);
  return machineId === undefined ? undefined : readLines(id, query, onMachine(context, machineId));
}

/** Resolves with the end of the output; undefined if there is no such terminal, for which the service has no cursor. */
async function readLines(
  id: string,
  query: { lines: number; since: string | undefined },
  { service, signal }: ToolContext,
): Promise<OutputPage | undefined> {
  try {
    return await answered(OutputPage, service.terminals.get(id).output({ ...query, signal }));
  } catch (error) {
    if (error instanceof NotFoundError && OutputPage.safeParse(error.details).success) return undefined;
    throw error;
  }
}

function linesOf(raw: string): string[] {
  return raw === '' ? [] : raw.split('\n');
}

/** Returns the lines of a text, each with its line end and the empty lines that follow it. */
function newLines(raw: string): string[] {
  const [first = '', ...lines] = raw.split(/(?<=\n)(?=[^\n]*[^ \t\n])/);
  // Empty lines at the beginning belong to the first line.
  if (first.trim() !== '' || lines.length === 0) return first === '' ? [] : [first, ...lines];
  return [`${first}${lines[0]}`, ...lines.slice(1)];
}

/** Returns the answer for a terminal that does not exist: that of an empty terminal, without a cursor, as the API has it. */
function unknown(terminalId: string) {
  const structured = { terminalId, raw: '', totalLines: 0, offset: 0 };
  return {
    structured,
    text: '[no lines: there is no such terminal; list_terminals shows the running terminals]',
  };
}

/** Returns up to `count` lines, which end `offset` lines before the last. */
function pageBack(lines: readonly string[], count: number, offset: number): string[] {
  const end = Math.max(0, lines.length - offset);
  return lines.slice(Math.max(0, end - count), end);
}

interface Page {
  totalLines: number;
  offset: number;
  cursor: string;
  gap?: boolean | undefined;
  shown: number;
  isNew: boolean;
}

/** Describes in one line which part of the whole a page is. */
function told({ totalLines, offset, cursor, gap, shown, isNew }: Page): string {
  const last = Math.max(0, totalLines - offset);
  const place = shown === 0 ? 'no lines' : `lines ${last - shown + 1} to ${last}`;
  const parts = [
    `${place} of ${totalLines}${isNew ? ' new lines' : ''}`,
    ...(gap ? ['older lines were lost'] : []),
    `cursor ${JSON.stringify(cursor)}`,
  ];
  return parts.join('; ');
}
