import { describe, expect, it } from 'vitest';
import { decide, type Limits, limitsOn, type Memory } from '#dist/actors/admission/decide.js';
import { limitsOf } from '#dist/actors/admission/limits-of.js';
import type { LimitSettings } from '#dist/contract/limit-settings.js';

interface Case {
  settings: LimitSettings;
  terminals?: number;
  perLabel?: number[];
  memory?: Partial<Memory>;
  paced?: number;
}

const GOOD: Memory = { availableBytes: 1_000, pressure: 1 };

/** Returns the limit that each creation of the line waits for, or `-` if it is admitted; `line` holds their labels. */
function decided(
  line: string[],
  { settings, terminals = 0, perLabel, memory, paced = 1_000 }: Case,
): string[] {
  const limits: Limits = limitsOf(settings);
  const labels = line.map((text) => Object.fromEntries([...text].map((name) => [name, '1'])));
  const use = { terminals, perLabel: perLabel ?? limits.perLabel.map(() => 0) };
  const obstacles = decide(
    labels.map((each) => ({ own: limitsOn(each, limits) })),
    { limits, use, memory: { ...GOOD, ...memory }, paced },
  );
  return obstacles.map((obstacle) => (obstacle ? (obstacle.selector ?? obstacle.limit) : '-'));
}

const label = (name: string, max: number) => ({ selector: `${name}=1`, max });

describe('who of a line is admitted', () => {
  it('everybody, without limits', () => {
    expect(decided(['', 'a', 'b'], { settings: {}, terminals: 9_999 })).toEqual(['-', '-', '-']);
  });

  it('the first ones, as far as there is room for all', () => {
    const settings = { maxTerminals: 5 };
    expect(decided(['', 'a', ''], { settings, terminals: 3 })).toEqual(['-', '-', 'maxTerminals']);
    expect(decided([''], { settings: { maxTerminals: 0 } })).toEqual(['maxTerminals']);
  });

  it('those of other labels pass a creation whose label is full', () => {
    const settings = { maxTerminals: 4, perLabel: [label('a', 1)] };
    const use = { terminals: 1, perLabel: [1] };
    expect(decided(['a', 'b', 'a', '', 'b'], { settings, ...use })).toEqual(['a=1', '-', 'a=1', '-', '-']);
  });

  it('nobody passes a creation that shares a limit with it, also where that limit has room', () => {
    const settings = { perLabel: [label('a', 1), label('b', 9), label('c', 9)] };
    const use = { perLabel: [1, 0, 0] };
    // The first creation waits for a; the second would pass it in b; the third would pass the second in c.
    expect(decided(['ab', 'bc', 'c', ''], { settings, ...use })).toEqual(['a=1', 'a=1', 'a=1', '-']);
  });

  it('nobody while memory is short, and what is unknown refuses nobody', () => {
    const memory = { settings: { minAvailableMemory: 1_001 } };
    expect(decided(['', 'a'], memory)).toEqual(['minAvailableMemory', 'minAvailableMemory']);
    expect(decided([''], { ...memory, memory: { availableBytes: 1_001 } })).toEqual(['-']);
    expect(decided([''], { ...memory, memory: { availableBytes: null } })).toEqual(['-']);
    const pressure = { settings: { maxMemoryPressure: 0.5 } };
    expect(decided([''], pressure)).toEqual(['maxMemoryPressure']);
    expect(decided([''], { ...pressure, memory: { pressure: 0.5 } })).toEqual(['-']);
    expect(decided([''], { ...pressure, memory: { pressure: null } })).toEqual(['-']);
  });

  it('so many as the pace allows; what waits for its label takes nothing of that', () => {
    const settings = { perLabel: [label('a', 0)] };
    expect(decided(['a', '', ''], { settings, paced: 1 })).toEqual(['a=1', '-', 'pace']);
  });
});
