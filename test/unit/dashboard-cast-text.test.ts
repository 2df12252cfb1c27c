import { describe, expect, it } from 'vitest';
import type { CastEvent } from '../../dashboard/src/player/messages.js';
import { CastText } from '../../dashboard/src/recordings/cast-text.js';

const cast = (...events: Array<[number, string]>) =>
  new CastText(events.map(([at, data]): CastEvent => [at, 'o', data]));

describe('text in a recording', () => {
  it('is found at the second in which it was printed, whatever its case', () => {
    const text = cast([1, '$ ls\r\n'], [2, 'README.md\r\n'], [7, 'readme.txt\r\n']);
    expect(text.find('readme', 10)).toEqual([
      { at: 2, line: 'README.md' },
      { at: 7, line: 'readme.txt' },
    ]);
  });

  it('is found whatever its case, also beside a character whose lower case is longer', () => {
    const text = cast([1, 'İstanbul has an OTTER\r\n']);
    expect(text.find('otter', 10)).toEqual([{ at: 1, line: 'İstanbul has an OTTER' }]);
    expect(text.find('İSTANBUL', 10)).toHaveLength(1);
  });

  it('is found over the border of two events, and beneath colours', () => {
    const text = cast([1, 'an \x1b[3'], [2, '1mot'], [3, 'ter\x1b[0m here\r\n']);
    expect(text.find('an otter here', 10)).toEqual([{ at: 1, line: 'an otter here' }]);
    expect(text.find('otter here', 10)).toEqual([{ at: 2, line: 'an otter here' }]);
  });

  it('has a blank where a program moves the cursor on, and a new line where it moves it elsewhere', () => {
    const text = cast([1, 'Do\x1b[Cyou\x1b[1Cwant\x1b[2;1Hto\rproceed']);
    expect(text.find('do you want', 10)).toEqual([{ at: 1, line: 'Do you want' }]);
    expect(text.find('want to', 10)).toEqual([]);
    expect(text.find('to', 10)).toEqual([{ at: 1, line: 'to' }]);
  });

  it('is found once of a screen that is drawn again and again', () => {
    const text = cast(
      [1, '\x1b[HBusy\r\n'],
      [2, '\x1b[HBusy\r\n'],
      [3, '\x1b[HDone\r\n'],
      [4, '\x1b[HBusy\r\n'],
    );
    expect(text.find('busy', 10).map(({ at }) => at)).toEqual([1]);
  });

  it('holds nothing of titles and other strings to the terminal, nor of what was typed', () => {
    const events: CastEvent[] = [
      [1, 'o', '\x1b]0;secret title\x07shown\x1bPsecret\x1b\\'],
      [2, 'i', 'secret'],
    ];
    expect(new CastText(events).find('secret', 10)).toEqual([]);
    expect(new CastText(events).find('shown', 10)).toEqual([{ at: 1, line: 'shown' }]);
  });

  it('is found so often and no more, with a part of a long line around it', () => {
    const text = cast([1, Array.from({ length: 9 }, (_, at) => `line ${at}\n`).join('')]);
    expect(text.find('line', 4)).toHaveLength(4);
    const [hit] = cast([1, `${'a'.repeat(500)} here ${'b'.repeat(500)}`]).find('here', 1);
    expect(hit?.line.length).toBeLessThan(150);
    expect(hit?.line).toContain(' here ');
    expect(text.find('', 4)).toEqual([]);
    expect(cast().find('x', 4)).toEqual([]);
  });
});
