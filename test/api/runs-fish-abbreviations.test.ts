import { beforeAll, expect, it } from 'vitest';
import { openTerminal, runIn, settleHome } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
beforeAll(() => settleHome(used.service.home));

/** Defines abbreviations; those of a pattern came with fish 3.6. */
const ABBREVIATIONS = [
  `abbr -a myabbr "sh -c 'exit 7'"`,
  `abbr -a mypattern --regex 'zz+' "sh -c 'exit 8'"`,
].join('; ');

it.each(['myabbr', 'true; myabbr', 'zzz'])(
  'fish runs %j as it is, and not the text that it abbreviates',
  async (line) => {
    const id = await openTerminal(used.api, ['fish']);
    expect(await runIn(used.api, id, ABBREVIATIONS)).toMatchObject({ done: true, exitCode: 0 });
    const word = line.split(' ').at(-1)!;
    expect(await runIn(used.api, id, line)).toMatchObject({
      ...{ success: true, done: true, exitCode: 127, waitedBy: 'integration' },
      raw: expect.stringContaining(`Unknown command: ${word}`),
    });
    await runIn(used.api, id, `function ${word}; sh -c 'exit 5'; end`);
    expect(await runIn(used.api, id, line)).toMatchObject({ success: true, done: true, exitCode: 5 });
  },
);
