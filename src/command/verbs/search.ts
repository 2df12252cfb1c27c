import { type Command, InvalidArgumentError } from 'commander';
import type { SearchHit } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { type Column, type FormatOptions, OUTPUT, printRows, QUIET } from '../format.js';
import { SELECTOR } from '../targets.js';
import { verb } from '../verb.js';

/** Results without `--limit`, as in the API. */
const DEFAULT_LIMIT = 50;
/** Most results that the API returns. */
const MAX_LIMIT = 1_000;

/** Characters of a table's text before a match: with more, 80 columns would not show the match. */
const CHARS_BEFORE = 16;
/** Characters of a table's text: more than a row of a terminal holds. */
const TEXT_CHARS = 500;

function columnsFor({ isTty }: Context): readonly Column<SearchHit>[] {
  return [
    { title: 'TERMINAL', value: ({ document }) => document.terminalId },
    { title: 'TYPE', value: ({ document }) => document.type },
    { title: 'TEXT', value: isTty ? textOf : ({ context }) => context },
  ];
}

/** Returns the text from shortly before the first match on. */
function textOf({ document, matches }: SearchHit): string {
  const [start = 0] = matches[0] ?? [];
  const from = Math.max(0, start - CHARS_BEFORE);
  const text = [...document.content].slice(from, from + TEXT_CHARS).join('');
  return from > 0 ? `…${text}` : text;
}

/** `auto-terminal search`: finds text in the output and input of terminals. */
export function search(context: Context): Command {
  return verb('search', 'Search what terminals have printed, and what was typed into them')
    .argument('<query...>', 'words')
    .addOption(SELECTOR)
    .option('-n, --limit <number>', 'most results, the newest first', limitOf, DEFAULT_LIMIT)
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(
      async (
        words: string[],
        { selector, limit, ...options }: CommonOptions & FormatOptions & { selector?: string; limit: number },
      ) => {
        const query = { selector, limit, signal: context.signal };
        const { results, paused, behind } = await context.client(options).search(words.join(' '), query);
        if (paused) context.say('auto-terminal: the disk is nearly full, so that nothing new is indexed');
        if (behind) context.say('auto-terminal: the newest text was not searched; try again');
        if (results.length === limit)
          context.say(`auto-terminal: these are the newest ${limit}; there may be more: --limit`);
        const id = ({ document }: SearchHit) => document.terminalId;
        await printRows(context, results, options, { columns: columnsFor(context), id, name: 'results' });
      },
    );
}

function limitOf(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT)
    throw new InvalidArgumentError(`It is a number from 1 to ${MAX_LIMIT}.`);
  return limit;
}
