import xterm from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { swallowQueries } from '../../dashboard/src/terminal/queries.js';
import { onUserInput } from '../../dashboard/src/terminal/user-input.js';

/** Queries of all kinds that xterm answers, and some queries that xterm may answer one day. */
const QUERIES = [
  ...['\x1b[c', '\x1b[0c', '\x1b[>c', '\x1b[>0c', '\x1b[=c', '\x1bZ'],
  ...['\x1b[5n', '\x1b[6n', '\x1b[?6n', '\x1b[?15n', '\x1b[?996n'],
  ...['\x1b[4$p', '\x1b[?25$p', '\x1b[?2026$p', '\x1b[?2004$p'],
  ...['\x1bP$qm\x1b\\', '\x1bP$qr\x1b\\', '\x1bP$q q\x1b\\', '\x1bP+q544e\x1b\\', '\x1bP+Q544e\x1b\\'],
  ...[
    '\x1b]4;1;?\x07',
    '\x1b]4;1;?;2;?\x1b\\',
    '\x1b]10;?\x07',
    '\x1b]10;?;?;?\x07',
    '\x1b]11;?\x07',
    '\x1b]12;?\x1b\\',
  ],
  ...['\x1b[14t', '\x1b[16t', '\x1b[18t', '\x1b[19t', '\x1b[20t', '\x1b[21t'],
  ...['\x1b[>q', '\x1b[>0q', '\x1b[?u', '\x1b[x', '\x1b[?1;1S', '\x05'],
];

/** Returns a terminal that allows everything that makes xterm answer; pages allow less. */
function terminal(): xterm.Terminal {
  const windowOptions = { getWinSizeChars: true, getWinSizePixels: true, getCellSizePixels: true };
  return new xterm.Terminal({ allowProposedApi: true, logLevel: 'off', windowOptions });
}

function write(term: xterm.Terminal, data: string): Promise<void> {
  return new Promise((resolve) => term.write(data, resolve));
}

describe('the screen of a page', () => {
  it('says nothing of all that an xterm without the rules answers', async () => {
    const [plain, quiet] = [terminal(), terminal()];
    const answers: string[] = [];
    const said: string[] = [];
    plain.onData((data) => answers.push(data));
    quiet.onData((data) => said.push(data));
    swallowQueries(quiet.parser);
    for (const query of QUERIES) await Promise.all([write(plain, query), write(quiet, query)]);
    expect(answers.length).toBeGreaterThan(8);
    expect(said).toEqual([]);
  });

  it('passes on what a person types, and no answer, even without the rules', async () => {
    const term = terminal();
    const typed: string[] = [];
    const reported: string[] = [];
    onUserInput(term, { onInput: (data) => typed.push(data), onReport: (data) => reported.push(data) });
    term.input('a', true);
    await write(term, QUERIES.join(''));
    term.input('b', true);
    // xterm sends its answers in this way.
    term.input('\x1b[1;1R', false);
    // A mouse button, which counts as no key.
    term.input('\x1b[<0;5;7M', true);
    expect(typed).toEqual(['a', 'b']);
    expect(reported).toEqual(['\x1b[<0;5;7M']);
  });

  it('passes on old mouse reports, as far as they are text', () => {
    const term = terminal();
    const reported: string[] = [];
    onUserInput(term, { onInput: () => undefined, onReport: (data) => reported.push(data) });
    const { coreService } = (
      term as unknown as { _core: { coreService: { triggerBinaryEvent(data: string): void } } }
    )._core;
    coreService.triggerBinaryEvent('\x1b[M !!');
    coreService.triggerBinaryEvent('\x1b[M \xa1!');
    expect(reported).toEqual(['\x1b[M !!']);
  });

  it('still takes colours and titles that programs set', async () => {
    const term = terminal();
    const titles: string[] = [];
    term.onTitleChange((title) => titles.push(title));
    swallowQueries(term.parser);
    await write(term, '\x1b]2;one\x07\x1b]2;two\x07\x1b]4;1;#ff0000\x07text\x1b[31mred');
    expect(titles).toEqual(['one', 'two']);
    expect(term.buffer.active.getLine(0)?.translateToString(true)).toBe('textred');
  });
});
