import { createApi } from '../../test/support/http.js';
import { Random } from '../../test/support/random.js';
import { within } from '../../test/support/service.js';
import * as shells from './actions.js';
import * as clients from './client-actions.js';
import type { Tally } from './tally.js';
import { close, type Shell, type Turn } from './turn.js';

const MOST_SHELLS = 8;
/** Time limit of an action; each of its requests has a shorter one. */
const ACTION_MS = 300_000;

interface Action {
  weight: number;
  /** Kind of shell that the action works in; absent if the action takes no shell. */
  takes?: 'any' | 'indexed' | 'flooding';
  /** Fewest and most shells that the worker may hold when the action begins. */
  from?: number;
  to?: number;
  act(turn: Turn, shell: Shell): Promise<void>;
}

const ACTIONS: Record<string, Action> = {
  open: { weight: 4, to: MOST_SHELLS - 1, act: shells.open },
  command: { weight: 10, takes: 'any', act: shells.command },
  'command in all': { weight: 3, from: 1, act: shells.commandInAll },
  typed: { weight: 3, takes: 'any', act: shells.typed },
  program: { weight: 3, act: shells.program },
  resize: { weight: 3, takes: 'any', act: shells.resize },
  'read since': { weight: 3, takes: 'any', act: shells.readSince },
  list: { weight: 2, act: shells.list },
  end: { weight: 2, takes: 'any', from: 3, act: shells.end },
  'end under way': { weight: 1, takes: 'any', from: 3, act: shells.endUnderWay },
  watch: { weight: 3, takes: 'any', act: clients.watch },
  stall: { weight: 1, takes: 'flooding', act: clients.stall },
  record: { weight: 2, takes: 'any', act: clients.record },
  search: { weight: 2, takes: 'indexed', act: clients.search },
};

export interface WorkerOptions {
  url: string;
  /** Number of the worker; each worker has its own terminals and random choices. */
  number: number;
  seed: number;
  tally: Tally;
  /** Whether the time is over: no further action begins. */
  isOver: () => boolean;
  /** Whether the bench is being stopped, and the service with it: failures then mean nothing. */
  isStopped: () => boolean;
}

/**
 * Does random actions one after the other until the time is over, then closes the remaining shells. The same seed
 * repeats each worker's choices, but the order of actions across workers depends on the machine.
 */
export async function work({ url, number, seed, tally, isOver, isStopped }: WorkerOptions): Promise<void> {
  const random = new Random(seed * 1_000 + number);
  let tokens = 0;
  const turn: Turn = {
    ...{ api: createApi(url, { unchecked: true }), url, random, worker: `w${number}`, shells: [] },
    token: () => `t${seed}w${number}n${++tokens}z`,
  };
  for (let step = 1; !isOver() && !isStopped(); step++) {
    const name = choose(turn);
    const action = ACTIONS[name]!;
    const usable = usableBy(action, turn);
    const shell = action.takes ? random.of(usable) : undefined;
    const begin = performance.now();
    try {
      await within(ACTION_MS, action.act(turn, shell!), () => `not within ${ACTION_MS} ms`);
      tally.did(name, performance.now() - begin);
    } catch (error) {
      if (isStopped()) return;
      tally.failed(
        `seed ${seed}, worker ${number}, step ${step}, ${name}${shell ? ` in ${shell.id}` : ''}`,
        error,
      );
      await abandon(turn, shell ? [shell] : [...turn.shells]);
    }
  }
  for (const { id } of turn.shells) {
    if (isStopped()) return;
    await close(turn, id).catch((error: unknown) =>
      tally.failed(`seed ${seed}, worker ${number}, at the end`, error),
    );
  }
}

function choose(turn: Turn): string {
  const possible = Object.entries(ACTIONS).filter(
    ([, action]) =>
      turn.shells.length >= (action.from ?? 0) &&
      turn.shells.length <= (action.to ?? MOST_SHELLS) &&
      (action.takes === undefined || usableBy(action, turn).length > 0),
  );
  const drawn = possible.flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name));
  return turn.random.of(drawn);
}

function usableBy({ takes }: Action, { shells }: Turn): Shell[] {
  if (takes === 'any' || takes === undefined) return shells;
  return shells.filter(({ floods }) => floods === (takes === 'flooding'));
}

/** Closes shells in which an action failed, so that one fault is counted once. */
async function abandon(turn: Turn, shells: readonly Shell[]): Promise<void> {
  for (const shell of shells) {
    const place = turn.shells.indexOf(shell);
    if (place >= 0) turn.shells.splice(place, 1);
    // The failure is counted already; an error of the close is no second failure.
    await turn.api.delete(`/api/terminals/${shell.id}`).catch(() => {});
  }
}
