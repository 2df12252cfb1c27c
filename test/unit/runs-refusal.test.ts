import { describe, expect, it } from 'vitest';
import { refusalIn } from '../../src/actors/runs/refusal.js';

const mark = (content: string) => `\x1b]133;${content};k=********;s=77\x07`;
const CWD = '\x1b]633;P;Cwd=/tmp;********;77\x07';
const END = (status: number) => mark(`D;${status}`);
const PROMPT = `${mark('A')}${CWD}\x1b[?2004h$ ${mark('B')}`;
const TAKEN = '\r\n\x1b[?2004l\r';

/** Returns the shell's message, and its status. */
function said(output: string) {
  const bytes = Buffer.from(output);
  const refusal = refusalIn(bytes);
  return refusal && [bytes.subarray(refusal.begin, refusal.end).toString(), refusal.exitCode];
}

describe('a refusal', () => {
  it.each([
    ['a status told', `é )${TAKEN}日本: no\r\n${END(2)}${PROMPT}`, '日本: no\r\n', 2],
    ['no status told', `é )${TAKEN}no\r\n${PROMPT}`, 'no\r\n', null],
    [
      'two ends told, of which the first counts',
      `)${TAKEN}zsh: no\r\n${END(1)}%\r${END(1)}${PROMPT}`,
      'zsh: no\r\n',
      1,
    ],
    [
      'a prompt drawn again while it was edited',
      `a\x1b[A$ ${mark('B')}a${TAKEN}bash: no\r\n${END(2)}`,
      'bash: no\r\n',
      2,
    ],
    ['a prompt of which only the end is told', `!x${TAKEN}no\r\n\x1b[?2004h$ ${mark('B')}`, 'no\r\n', null],
    ['that, where no pastes are marked', `!x\r\nno\r\n$ ${mark('B')}`, 'no\r\n', null],
    ['a command that begins after it', `)${TAKEN}-bash: no\r\n${END(2)}${mark('C')}`, '-bash: no\r\n', 2],
    ['the status left as it was', `[[ a b ]]${TAKEN}bash: no\r\n${END(0)}${PROMPT}`, 'bash: no\r\n', null],
    [
      'a message in colour, behind another text',
      `)${TAKEN}trap\r\n\x1b[31mbash: no\x1b[m\r\n${END(2)}${PROMPT}`,
      'trap\r\n\x1b[31mbash: no\x1b[m\r\n',
      2,
    ],
    ['what fish says', `)\r\x1b[3C\r\nfish: no\r\n)\r\n^\r\n${PROMPT}`, 'fish: no\r\n)\r\n^\r\n', null],
  ])('with %s', (_name, output, text, exitCode) => {
    expect(said(output)).toEqual([text, exitCode]);
  });

  it.each([
    ['a command that has begun', `a${TAKEN}${END(0)}${mark('C')}text\r\n`],
    ['a command that has begun and has ended', `a${TAKEN}${mark('C')}text\r\n${END(1)}${PROMPT}`],
    ['more that is wanted', `if${TAKEN}\x1b[?2004h> `],
    ['a line that nothing was said of', `# c${TAKEN}${END(2)}${PROMPT}`],
    ['a line that colours alone came after', `# c${TAKEN}\x1b[1m\x1b]0;title\x07\x1b(B \r${END(2)}${PROMPT}`],
    ['a job that has ended', `nop${TAKEN}[1]+  Done    echo a: b\r\n${END(1)}${PROMPT}`],
    ['a trap that has printed', `nop${TAKEN}trap __at_prompt\r\n${END(1)}${PROMPT}`],
    ['a trap that has printed, and success', `nop${TAKEN}trap __at_prompt\r\n${END(0)}${PROMPT}`],
    ['a line that has not been taken', `a $ ${mark('B')}`],
    ['nothing', ''],
  ])('is none: %s', (_name, output) => {
    expect(said(output)).toBeUndefined();
  });
});
