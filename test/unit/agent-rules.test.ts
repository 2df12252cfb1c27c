import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KNOWN_AGENTS } from '#dist/actors/agents/known/all.js';
import { ANY_AGENT_RULES } from '#dist/actors/agents/known/any.js';
import { matcherOf, ruleText } from '#dist/actors/agents/match.js';
import { MAX_CURSOR_ROWS } from '#dist/actors/agents/scene.js';
import { MAX_AGENT_RULE_ROWS } from '#dist/contract/limits.js';
import { AGENT_SCREENS } from '../support/agent-screens.js';

const own = Object.entries(KNOWN_AGENTS).flatMap(([label, { rules }]) =>
  rules ? [[label, rules] as const] : [],
);
const all = [...own, ['any', ANY_AGENT_RULES] as const];
const ORDER = ['waiting', 'working', 'idle'];

test('docs/operating.md lists the known agents', async () => {
  const text = await readFile(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  const [, listed] = /^Known agents: ([^.]+)\./m.exec(text) ?? [];
  expect(listed?.split(/,\s+/)).toEqual(Object.keys(KNOWN_AGENTS).sort());
});

describe('the table of rules', () => {
  test.each(all)('%s: rules for waiting come first, then for working, then for idle', (_agent, rules) => {
    const ranks = rules.map(({ status }) => ORDER.indexOf(status));
    expect(ranks).toEqual([...ranks].sort());
  });

  test.each(all)('%s: rules look only at rows that are examined', (_agent, rules) => {
    for (const { where, rows } of rules) {
      expect(rows).toBeGreaterThan(0);
      expect(rows).toBeLessThanOrEqual(where === 'cursor' ? MAX_CURSOR_ROWS : MAX_AGENT_RULE_ROWS);
    }
  });

  test.each(all)(
    '%s: no expression repeats without a bound, or keeps a position between matches',
    (_agent, rules) => {
      for (const { text } of rules) {
        if (typeof text === 'string') continue;
        const outsideOfClasses = text.source.replace(/\\./gs, '').replace(/\[[^\]]*\]/g, '');
        expect(outsideOfClasses).not.toMatch(/[*+]|\{\d+,\}/);
        expect(text.flags).toMatch(/^i?u?$/);
      }
    },
  );

  test('each agent with rules of its own has screens that test them', () => {
    expect(own.length).toBeGreaterThan(10);
    for (const [agent] of own) expect(AGENT_SCREENS.map((screen) => screen.agent)).toContain(agent);
  });
});

describe('a text with wildcards', () => {
  const holds = (pattern: string, text: string) => matcherOf(pattern)(ruleText(text));

  test('matches anywhere, in any case, with any text for each wildcard', () => {
    expect(holds('allow', 'Do you ALLOW it?')).toBe(true);
    expect(holds('do*it', 'Do you allow it?')).toBe(true);
    expect(holds('it*do', 'Do you allow it?')).toBe(false);
    expect(holds('a**a', 'aa')).toBe(true);
    expect(holds('aa*a', 'aa')).toBe(false);
    expect(holds('.+', 'aaa')).toBe(false);
  });

  test('matches what the equivalent regular expression matches', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'B', '*', ' '), maxLength: 12 });
    fc.assert(
      fc.property(text, text, (pattern, row) => {
        const expression = new RegExp(pattern.split('*').join('.*'), 'i');
        expect(holds(pattern, row)).toBe(expression.test(row));
      }),
      { numRuns: 2_000 },
    );
  });
});
