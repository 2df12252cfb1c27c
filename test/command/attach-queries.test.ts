import { describe, expect, test } from 'vitest';
import { createIn } from '../support/attach-rig.js';
import { useXterms } from '../support/outer-xterm.js';
import { closeAfterEach } from '../support/sdk.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/sh' } });
closeAfterEach();
const openOuter = useXterms();

const QUERIES = [
  ...['[c', '[>c', '[=c', 'Z', '[5n', '[6n', '[?6n', '[?996n', '[4$p', '[?2026$p', '[?2004$p', '[>0q', '[?u'],
  ...[']4;1;?\\007', ']10;?\\007', ']11;?\\033\\\\', ']12;?\\007', '[14t', '[16t', '[18t', '[21t'],
  ...['P$qm\\033\\\\', 'P$q q\\033\\\\', 'P+q544e\\033\\\\', 'P+Q666f6e74\\033\\\\', '[?2048h', '[x'],
].map((query) => `\\033${query}`);

/** Prints the queries in pieces of a few bytes, each a separate write, so that reads and frames cut them anywhere. */
const SCRIPT = `
stty raw -echo; printf ready; head -c 1 >/dev/null
printf '${QUERIES.join('')}' >"$1"
for size in 100000 1 2 3 5; do dd if="$1" bs=$size status=none; done
printf 'asked'
exec cat -v`;

describe('queries of a program', () => {
  test('are answered as without anybody attached, however they are cut, and never by the outer terminal', async () => {
    const outer = openOuter();
    await outer.shows('person$');
    const before = outer.state;
    const answers = async (isAttached: boolean) => {
      const file = `${used.service.home}/queries-${isAttached}`;
      const terminal = await createIn(used.service.home, ['sh', '-c', SCRIPT, 'sh', file]);
      if (isAttached) outer.run(used.service.home, 'attach', terminal.id);
      if (isAttached) await outer.shows('ready');
      else await terminal.waitFor({ until: 'text', text: 'ready', timeoutMs: 20_000 });
      await terminal.type('x');
      await terminal.waitFor({ until: 'idle', idleMs: 1_500, timeoutMs: 30_000 });
      const { raw } = await terminal.output();
      if (isAttached) outer.type('\x1cd');
      if (isAttached) await outer.shows('ended 0');
      return raw.slice(raw.indexOf('asked'));
    };
    const alone = await answers(false);
    expect(alone.split('^[]11;rgb:')).toHaveLength(6);
    expect(await answers(true)).toBe(alone);
    expect(outer.answers).toBe('');
    expect(outer.rows.at(-1) ?? '').not.toContain(';');
    expect(outer.state).toEqual(before);
  });
});
