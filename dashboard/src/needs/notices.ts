import type { Need, NeedKind } from './needs.js';

/** Finds the needs that begin while this page is open. */
export class Transitions {
  #known: Set<string> | undefined;

  /** Returns the needs that have begun since the previous call; none at the first call, since its needs began earlier. */
  take(needs: readonly Need[]): Need[] {
    const known = this.#known;
    if (known === undefined) {
      this.#known = new Set(needs.map(({ key }) => key));
      return [];
    }
    const begun = needs.filter(({ key }) => !known.has(key));
    for (const { key } of begun) known.add(key);
    return begun;
  }
}

/** Returns whether to announce a need: it is still present, and no person sees it. */
export function isToBeSaid(
  need: Need,
  { present, isSeen }: { present: ReadonlySet<string>; isSeen: (need: Need) => boolean },
): boolean {
  return present.has(need.key) && !isSeen(need);
}

const VERBS: Record<NeedKind, string> = {
  waiting: 'waits for you',
  failed: 'has a command that failed',
  exited: 'has exited badly',
};

export interface Notice {
  title: string;
  body: string;
  /** Need that a click on the notice opens: the first. */
  need: Need | undefined;
  /** Kind that decides the sound: an agent that waits comes before a failure. */
  kind: NeedKind;
}

/** Returns one notice for all needs that have begun together. */
export function noticeOf(needs: readonly Need[], nameOf: (terminalId: string) => string): Notice | undefined {
  const [first] = needs;
  if (!first) return undefined;
  const kind = needs.some((need) => need.kind === 'waiting') ? 'waiting' : first.kind;
  if (needs.length === 1) {
    const name = nameOf(first.terminalId);
    return { title: `auto-terminal: ${name}`, body: `${name} ${VERBS[first.kind]}`, need: first, kind };
  }
  const names = needs.slice(0, 3).map(({ terminalId }) => nameOf(terminalId));
  const more = needs.length > 3 ? ` and ${needs.length - 3} more` : '';
  return {
    title: `auto-terminal: ${needs.length} terminals need you`,
    body: names.join(', ') + more,
    need: first,
    kind,
  };
}
