import { describe, expect, it } from 'vitest';
import type { Need, NeedKind } from '../../dashboard/src/needs/needs.js';
import { isToBeSaid, noticeOf, Transitions } from '../../dashboard/src/needs/notices.js';
import { titleOf } from '../../dashboard/src/parts/title-of.js';

function need(terminalId: string, kind: NeedKind = 'waiting', since = 1): Need {
  return { key: `${terminalId} ${kind} ${since}`, terminalId, kind, since, isGuess: false };
}

const keys = (needs: readonly Need[]) => needs.map(({ key }) => key);

describe('notices', () => {
  it('come on transitions only: not for what was so before, and once for each occurrence', () => {
    const transitions = new Transitions();
    const [a, b] = [need('a'), need('b', 'failed')];
    expect(transitions.take([a])).toEqual([]);
    expect(transitions.take([a])).toEqual([]);
    expect(keys(transitions.take([a, b]))).toEqual([b.key]);
    expect(transitions.take([b])).toEqual([]);
    expect(transitions.take([a, b])).toEqual([]);
    const again = need('a', 'waiting', 2);
    expect(keys(transitions.take([again, b]))).toEqual([again.key]);
  });

  it('come for the first need of a page that had none', () => {
    const transitions = new Transitions();
    transitions.take([]);
    expect(transitions.take([need('a')])).toHaveLength(1);
  });

  it('are not for what somebody sees, nor for what is over by then', () => {
    const a = need('a');
    const said = (present: Need[], isSeen: boolean) =>
      isToBeSaid(a, { present: new Set(keys(present)), isSeen: () => isSeen });
    expect(said([a], false)).toBe(true);
    expect(said([a], true)).toBe(false);
    expect(said([], false)).toBe(false);
  });

  it('are one for all that begins together', () => {
    const name = (id: string) => `name of ${id}`;
    expect(noticeOf([], name)).toBeUndefined();
    expect(noticeOf([need('a', 'failed')], name)).toMatchObject({
      title: 'auto-terminal: name of a',
      body: 'name of a has a command that failed',
      kind: 'failed',
    });
    const many = [need('a', 'failed'), need('b'), need('c'), need('d'), need('e')];
    expect(noticeOf(many, (id) => id)).toMatchObject({
      title: 'auto-terminal: 5 terminals need you',
      body: 'a, b, c and 2 more',
      kind: 'waiting',
    });
  });

  it('count in the title', () => {
    expect(titleOf(3)).toBe('(3) auto-terminal');
    expect(titleOf(0)).toBe('auto-terminal');
    expect(titleOf(3, 'builder')).toBe('(3) auto-terminal: builder');
  });
});
