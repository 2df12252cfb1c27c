import { expect, it } from 'vitest';
import { eventually, hostPidOf, residentBytes } from '../support/processes.js';
import { openTerminal } from '../support/runs.js';
import { useService } from '../support/use-service.js';

const TERMINALS = 100;
const LINES = 1_000;
/** Screens sleep after 10 s; their threads return the freed memory once they have been quiet for a while. */
const DEADLINE_MS = 60_000;
/** Less than the screens of so many lines need: a service that never grew would have nothing to return. */
const MIN_GROWTH_BYTES = TERMINALS * 512 * 1024;

const used = useService();

/** Resident bytes of service and pty host, measured from outside: a request would keep them awake. */
const resident = () =>
  [used.service.pid, hostPidOf(used.service.home)].reduce((sum, pid) => sum + residentBytes(pid), 0);

/** Lines in which colours change from word to word, so that they have to be parsed. */
const COLOURED = `BEGIN {
  for (line = 1; line <= ${LINES}; line++) {
    for (word = 1; word <= 9; word++) printf "\\033[%dm%04d %02d ", 30 + (line + word) % 8, line, word;
    printf "\\033[0m\\n";
  }
}`;

async function isPrinted(id: string): Promise<boolean> {
  const { body } = await used.api.get<{ raw: string }>(`/api/terminals/${id}/output?lines=${LINES}`);
  return body.raw.includes('0001 01') && body.raw.includes(`${LINES} 09`);
}

it('memory of screens is returned to the system once they sleep', async () => {
  const command = ['sh', '-c', 'awk "$COLOURED"; exec cat'];
  const open = () => openTerminal(used.api, command, { env: { COLOURED } });
  // What the service loads and compiles for its first terminal stays.
  const first = await open();
  await eventually('the first has printed', () => isPrinted(first));
  const before = resident();
  const ids = await Promise.all(Array.from({ length: TERMINALS }, open));
  for (const id of ids) await eventually(`${id} has printed`, () => isPrinted(id));
  // On a busy machine the first screens sleep before the last program has printed.
  await Promise.all(ids.map((id) => used.api.get(`/api/terminals/${id}/snapshot`)));
  const peak = resident();
  const growth = peak - before;
  expect(growth).toBeGreaterThan(MIN_GROWTH_BYTES);
  await eventually('half of it is given back', () => resident() < peak - growth / 2, DEADLINE_MS);
  // The output of the sleeping screens is still there.
  expect(await Promise.all(ids.slice(0, 5).map(isPrinted))).not.toContain(false);
});
