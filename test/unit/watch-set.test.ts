import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WatchSet } from '#dist/gateway/ws/watch-set.js';

const IDS = ['a', 'b', 'c'];

const wanted = fc.option(fc.subarray(IDS), { nil: undefined });

/** Tracks for each terminal the replacement since which it is watched, and which replacements are known. */
class Oracle {
  readonly #since = new Map<string, number>();
  #known = 0;

  constructor(first: string[] | undefined) {
    for (const id of first ?? IDS) this.#since.set(id, 0);
  }

  replace(ids: string[] | undefined, number: number): void {
    for (const id of IDS) {
      if (ids && !ids.includes(id)) this.#since.delete(id);
      else if (!this.#since.has(id)) this.#since.set(id, number);
    }
  }

  /** Returns the terminals that are live now and were not before. */
  known(number: number): string[] {
    const before = this.live();
    this.#known = Math.max(this.#known, number);
    return this.live().filter((id) => !before.includes(id));
  }

  watched(): string[] {
    return IDS.filter((id) => this.#since.has(id));
  }

  live(): string[] {
    return this.watched().filter((id) => this.#since.get(id)! <= this.#known);
  }
}

it('knows of each terminal whether it is watched and live, in whichever order shards answer', () => {
  const step = fc.oneof(fc.record({ replace: wanted }), fc.record({ known: fc.nat(9) }));
  fc.assert(
    fc.property(wanted, fc.array(step, { maxLength: 10 }), (first, steps) => {
      const set = new WatchSet(first);
      const oracle = new Oracle(first);
      let last = 0;
      for (const each of steps) {
        if ('replace' in each) {
          last = set.replace(each.replace);
          oracle.replace(each.replace, last);
        } else {
          const number = Math.min(each.known, last);
          const isNew = set.known(number);
          expect(IDS.filter((id) => set.has(id) && isNew(id))).toEqual(oracle.known(number));
        }
        expect(IDS.filter((id) => set.has(id))).toEqual(oracle.watched());
        expect(IDS.filter((id) => set.has(id) && set.isLive(id))).toEqual(oracle.live());
        if (!set.isEverything) expect([...set.ids].sort()).toEqual(oracle.watched());
      }
    }),
  );
});
