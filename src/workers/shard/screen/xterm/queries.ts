import type { Terminal } from '@xterm/headless';
import { APP_NAME, VERSION } from '../../../../contract/version.js';

/** Passes on xterm's own answers (DA, DSR, CPR, DECRQM, DECRQSS), and answers XTVERSION and kitty's key query. */
export function answerQueries(term: Terminal, reply: (data: string) => void): void {
  term.onData((data) => {
    // Empty data comes from `input('')` in `writeSync`.
    if (data !== '') reply(data);
  });
  term.parser.registerCsiHandler({ prefix: '>', final: 'q' }, (params) => {
    if (!params[0]) reply(`\x1bP>|${APP_NAME}(${VERSION})\x1b\\`);
    return true;
  });
  term.parser.registerCsiHandler({ prefix: '?', final: 'u' }, () => {
    reply('\x1b[?0u');
    return true;
  });
}
