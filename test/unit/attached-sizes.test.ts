import { expect, it } from 'vitest';
import { TerminalSizes } from '#dist/actors/attached/terminal-sizes.js';
import { DomainError } from '#dist/contract/errors.js';
import type { TerminalSize } from '#dist/contract/terminal.js';

const BASE = { cols: 80, rows: 24 };
const size = (cols: number): TerminalSize => ({ cols, rows: 10 });
const tick = () => new Promise((resolve) => setImmediate(resolve));

/** A terminal whose resizes end when the test ends them. */
function terminal(kept?: TerminalSize) {
  const record = { size: BASE, meta: { baseSize: kept } };
  const log: string[] = [];
  const pending: Array<(fault?: Error) => void> = [];
  let isAttached = true;
  const ending = new AbortController();
  const sizes = new TerminalSizes({
    terminals: {
      resize: (_id, wanted) =>
        new Promise<void>((resolve, reject) => {
          log.push(`resize ${wanted.cols}`);
          pending.push((fault) => {
            if (!fault) record.size = wanted;
            return fault ? reject(fault) : resolve();
          });
        }),
      size: () => record.size,
      amend: async (_id, { baseSize }) => {
        log.push(`keep ${baseSize?.cols}`);
        record.meta.baseSize = baseSize;
      },
      startOf: () => record as never,
    },
    isAttached: () => isAttached,
    stopping: ending.signal,
  });
  /** Ends the running resizes, and the resizes that follow from them. */
  const run = async () => {
    await tick();
    for (let end = pending.shift(); end; end = pending.shift()) {
      end();
      await tick();
    }
  };
  return { sizes, record, log, pending, run, ending, detach: () => (isAttached = false) };
}

it('keeps the base before the terminal gets the size of a client, and forgets it once it is back', async () => {
  const { sizes, log, run, detach } = terminal();
  void sizes.follow('a', size(1));
  await run();
  detach();
  void sizes.follow('a', 'base');
  await run();
  expect(log).toEqual(['keep 80', 'resize 1', 'resize 80', 'keep undefined']);
});

it('skips sizes that are overtaken', async () => {
  const { sizes, log, run } = terminal();
  const all = Promise.all([1, 2, 3].map((cols) => sizes.follow('a', size(cols))));
  await run();
  await all;
  expect(log).toEqual(['keep 80', 'resize 1', 'resize 3']);
});

it('sets the size of the API between those of clients in the order of the calls', async () => {
  const { sizes, log, run, record, detach } = terminal();
  void sizes.follow('a', size(1));
  void sizes.setBase('a', size(90));
  void sizes.follow('a', size(2));
  await run();
  expect(log).toEqual(['keep 80', 'resize 1', 'keep 90', 'resize 90', 'resize 2']);
  detach();
  void sizes.follow('a', 'base');
  await run();
  expect([record.size, record.meta.baseSize]).toEqual([size(90), undefined]);
});

it('takes a size that the API is setting for the base', async () => {
  const { sizes, record, run, detach } = terminal();
  void sizes.setBase('a', size(90));
  void sizes.follow('a', size(1));
  await run();
  expect(record.meta.baseSize).toEqual(size(90));
  detach();
  void sizes.follow('a', 'base');
  await run();
  expect(record.size).toEqual(size(90));
});

it('goes on with the base that an earlier service kept', async () => {
  const { sizes, record, run, detach } = terminal(size(70));
  void sizes.follow('a', size(1));
  await run();
  expect(record.meta.baseSize).toEqual(size(70));
  detach();
  void sizes.follow('a', 'base');
  await run();
  expect([record.size, record.meta.baseSize]).toEqual([size(70), undefined]);
});

it('reads the base anew for clients that come later', async () => {
  const { sizes, record, run, detach } = terminal();
  detach();
  void sizes.follow('a', 'base');
  await run();
  void sizes.setBase('a', size(50));
  await run();
  void sizes.follow('a', size(1));
  await run();
  expect(record.meta.baseSize).toEqual(size(50));
});

it('asks again if the shard of the terminal dies, and reports any other failure', async () => {
  const { sizes, log, pending, run } = terminal();
  const followed = sizes.follow('a', size(1));
  await tick();
  pending.shift()!(new DomainError('unavailable'));
  while (pending.length === 0) await tick();
  await run();
  await followed;
  expect(log).toEqual(['keep 80', 'resize 1', 'resize 1']);
  const refused = sizes.follow('a', size(2));
  await tick();
  pending.shift()!(new DomainError('terminal-not-found'));
  await expect(refused).rejects.toMatchObject({ code: 'terminal-not-found' });
});

it('sets nothing more once the service stops', async () => {
  const { sizes, ending, log } = terminal();
  const first = sizes.follow('a', size(1));
  const second = sizes.follow('a', 'base');
  await tick();
  ending.abort(new DomainError('shutting-down'));
  await expect(second).rejects.toMatchObject({ code: 'shutting-down' });
  void first.catch(() => undefined);
  expect(log).toEqual(['keep 80', 'resize 1']);
});
