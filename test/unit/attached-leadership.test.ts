import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Leadership, type WantedSize } from '#dist/actors/attached/leadership.js';
import type { TerminalSize } from '#dist/contract/terminal.js';

const BASE: TerminalSize = { cols: 80, rows: 24 };
const size = (cols: number): TerminalSize => ({ cols, rows: 10 });

type Step =
  | { kind: 'attach'; id: string; readOnly: boolean; size: TerminalSize }
  | { kind: 'resize'; id: string; size: TerminalSize }
  | { kind: 'typed' | 'take' | 'leave'; id: string };

/** Finds the leader and the size of the terminal from plain lists. */
class Oracle {
  writers: string[] = [];
  readers: string[] = [];
  /** Clients in the order of their uses, the latest use last. */
  uses: string[] = [];
  sizes = new Map<string, TerminalSize>();
  leader: string | undefined;
  size = BASE;

  do(step: Step): void {
    const { kind, id } = step;
    const isWriter = this.writers.includes(id);
    const isThere = isWriter || this.readers.includes(id);
    if (kind === 'attach') {
      this.#remove(id, isWriter && !step.readOnly);
      (step.readOnly ? this.readers : this.writers).push(id);
    } else if (kind === 'leave') this.#remove(id, false);
    else if (kind !== 'resize' && isWriter) this.uses.push(id);
    if ('size' in step && (isThere || kind === 'attach')) this.sizes.set(id, step.size);

    const before = this.leader;
    const lastUser = this.uses.findLast((user) => this.writers.includes(user));
    const isStillThere = before !== undefined && this.writers.includes(before);
    this.leader =
      lastUser ?? (isStillThere ? before : this.writers.length === 1 ? this.writers[0] : undefined);
    const ofLeader = this.leader === undefined ? undefined : this.sizes.get(this.leader);
    const isAsked = this.leader === id && kind !== 'typed';
    if (ofLeader && (this.leader !== before || isAsked)) this.size = ofLeader;
    else if (this.writers.length === 0 && before !== undefined) this.size = BASE;
  }

  #remove(id: string, keepUses: boolean): void {
    this.writers = this.writers.filter((other) => other !== id);
    this.readers = this.readers.filter((other) => other !== id);
    if (!keepUses) this.uses = this.uses.filter((other) => other !== id);
  }
}

function change(leadership: Leadership, step: Step): WantedSize | undefined {
  if (step.kind === 'attach') return leadership.attach(step.id, { readOnly: step.readOnly, size: step.size });
  if (step.kind === 'resize') return leadership.resize(step.id, step.size);
  return leadership[step.kind](step.id);
}

const id = fc.constantFrom('a', 'b', 'c', 'd');
const anySize = fc.integer({ min: 1, max: 5 }).map(size);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('attach' as const), id, readOnly: fc.boolean(), size: anySize }),
  fc.record({ kind: fc.constant('resize' as const), id, size: anySize }),
  fc.record({ kind: fc.constantFrom('typed' as const, 'take' as const, 'leave' as const), id }),
);

it('agrees with the rules in plain lists, whatever clients do', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const leadership = new Leadership();
      const oracle = new Oracle();
      let actual = BASE;
      for (const each of steps) {
        oracle.do(each);
        const wanted = change(leadership, each);
        if (wanted) actual = wanted === 'base' ? BASE : wanted;
        expect([leadership.leader, actual]).toEqual([oracle.leader, oracle.size]);
      }
      for (const each of ['a', 'b', 'c', 'd']) {
        const wanted = leadership.leave(each);
        if (wanted) actual = wanted === 'base' ? BASE : wanted;
      }
      expect([leadership.leader, actual]).toEqual([undefined, BASE]);
    }),
    { numRuns: 2_000 },
  );
});

describe('the rules, one by one', () => {
  const attached = (...clients: [id: string, cols: number, readOnly?: boolean][]) => {
    const leadership = new Leadership();
    for (const [each, cols, readOnly = false] of clients)
      leadership.attach(each, { readOnly, size: size(cols) });
    return leadership;
  };

  it('who comes alone leads, who comes later leads once it types', () => {
    const leadership = attached(['a', 1], ['b', 2]);
    expect(leadership.leader).toBe('a');
    expect(leadership.typed('b')).toEqual(size(2));
    expect(leadership.typed('b')).toBeUndefined();
    expect(leadership.leader).toBe('b');
  });

  it('a reader never leads, and does not keep another from leading', () => {
    const leadership = attached(['reader', 1, true]);
    expect(leadership.leader).toBeUndefined();
    expect([leadership.typed('reader'), leadership.take('reader')]).toEqual([undefined, undefined]);
    expect(leadership.attach('a', { readOnly: false, size: size(2) })).toEqual(size(2));
    expect(leadership.leave('a')).toBe('base');
  });

  it('the leader before follows a leader that leaves; among idle ones nobody does', () => {
    const leadership = attached(['a', 1], ['b', 2], ['c', 3]);
    leadership.typed('a');
    leadership.typed('c');
    expect(leadership.leave('c')).toEqual(size(1));
    leadership.attach('c', { readOnly: false, size: size(3) });
    expect(leadership.leave('a')).toBeUndefined();
    expect(leadership.leader).toBeUndefined();
    expect(leadership.leave('c')).toEqual(size(2));
    expect(leadership.leave('b')).toBe('base');
  });

  it('only the size of the leader counts', () => {
    const leadership = attached(['a', 1], ['b', 2]);
    expect(leadership.resize('b', size(5))).toBeUndefined();
    expect(leadership.resize('a', size(4))).toEqual(size(4));
    expect(leadership.take('b')).toEqual(size(5));
    expect(leadership.take('b')).toEqual(size(5));
  });

  it('a leader that becomes a reader gives up the lead', () => {
    const leadership = attached(['a', 1], ['b', 2]);
    expect(leadership.attach('a', { readOnly: true, size: size(1) })).toEqual(size(2));
  });
});
