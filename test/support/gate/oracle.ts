import { type Fact, SETTINGS } from './world.js';

/** One request of a writer, and its outcome. */
export interface Op {
  op: number;
  kind: 'write' | 'run' | 'person' | 'lease' | 'retry';
  who: number;
  /** Text that only this write sends; of a run, the prefix of all its texts. */
  text: string;
  whenBusy: 'force' | 'refuse' | 'queue';
  asksForAgent: boolean;
  /** Id of the lease that the request names. */
  lease: string | undefined;
  outcome?: 'done' | { code: string };
  /** This and the next fields describe the lease that was granted. */
  fence?: number;
  leaseId?: string;
  isTakeover?: boolean;
  ttlMs?: number;
}

/** The state that the oracle derives from the facts; it does not read the gate's own state. */
interface Replay {
  lease: { fence: number; leaseId: string; endsAt: number } | undefined;
  holds: Set<number>;
  waiting: Set<number>;
  keyAt: number;
  hasDraft: boolean;
}

type Say = (what: string) => void;

/** Most milliseconds that the world's clock moves on while nothing waits. */
const SLACK_MS = 5;

/** Duration of a renewed lease in the stories, in milliseconds. */
export const RENEWED_MS = 1_000;

/** Returns a description of each fact that must never happen; an empty list if all is right. */
export function faultsIn(facts: readonly Fact[], ops: readonly Op[]): string[] {
  const faults: string[] = [];
  const byText = (text: string) => ops.find((op) => text.startsWith(op.text));
  const replay: Replay = {
    ...{ lease: undefined, holds: new Set(), waiting: new Set() },
    ...{ keyAt: Number.NEGATIVE_INFINITY, hasDraft: false },
  };
  const queue: number[] = [];
  const leases: number[] = [];
  for (const [index, fact] of facts.entries()) {
    const say = (what: string) => faults.push(`${what} at ${fact.at}: ${JSON.stringify(fact)}`);
    if (fact.kind === 'asked') replay.waiting.add(fact.op);
    else if (fact.kind === 'left' || fact.kind === 'settled') replay.waiting.delete(fact.op);
    else if (fact.kind === 'entered') replay.holds.add(fact.op);
    else if (fact.kind === 'released') replay.holds.delete(fact.op);
    else if (fact.kind === 'renewed') renewed(fact, replay, say);
    else if (fact.kind === 'lease') {
      leased(fact, ops, replay, leases, say);
      if (fact.change.state === 'ended' && fact.change.why === 'person') byKey(facts.slice(index), say);
    } else if (fact.kind === 'accepted') {
      if (fact.text.startsWith('<') && /[\r\x03]/.test(fact.text)) replay.hasDraft = false;
    } else if (fact.kind !== 'sent') continue;
    else if (!fact.text.startsWith('<')) typedByPerson(fact.text, fact.at, replay, say);
    else {
      const op = byText(fact.text);
      if (!op) say('text of nobody');
      else sent(op, fact, ops, replay, say);
      if (op?.kind === 'write' && isInLine(op)) queue.push(op.op);
    }
  }
  if (!isAscending(queue)) faults.push(`out of order: ${queue}`);
  if (!isAscending(leases)) faults.push(`leases out of order: ${leases}`);
  return [...faults, ...ops.flatMap((op) => balanceOf(op, facts))];
}

/**
 * Whether a request waits in the single queue of requests without a lease. Requests that ask for an agent wait
 * separately.
 */
function isInLine(op: Op): boolean {
  return op.whenBusy === 'queue' && op.lease === undefined && !op.asksForAgent;
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((each, index) => index === 0 || each > (numbers[index - 1] ?? 0));
}

function renewed({ at, leaseId }: Fact & { kind: 'renewed' }, { lease }: Replay, say: Say): void {
  if (lease?.leaseId === leaseId) lease.endsAt = at + RENEWED_MS;
  else say('a lease is renewed that nobody has');
}

function leased(
  { change, at }: Fact & { kind: 'lease' },
  ops: readonly Op[],
  replay: Replay,
  leases: number[],
  say: Say,
): void {
  if (change.state === 'ended') {
    const { lease } = replay;
    if (lease?.fence !== change.fence) say('a lease ends that nobody has');
    if (lease && change.why === 'expired' && at < lease.endsAt - SLACK_MS)
      say('a lease ends before its time');
    replay.lease = undefined;
    return;
  }
  const op = ops.find(({ fence }) => fence === change.fence);
  if (replay.lease) say('two leases at once');
  if (replay.holds.size > 0) say('a lease in the midst of a run');
  if (!op) say('a lease that nobody was told of');
  else if (!op.isTakeover) leases.push(op.op);
  replay.lease = { fence: change.fence, leaseId: op?.leaseId ?? '', endsAt: at + (op?.ttlMs ?? 0) };
}

/** Reports a fault unless the next text sent is a person's key, which ends a lease in the same turn. */
function byKey(rest: readonly Fact[], say: Say): void {
  const next = rest.find(({ kind }) => kind === 'sent');
  if (next?.kind !== 'sent' || next.text.startsWith('<') || isReport(next.text))
    say('a lease is ended by no key');
}

/** Whether the emulator of the simulated person sent these keys by itself. */
function isReport(keys: string): boolean {
  return /^\x1b(\[3;1R|\[I|\])/.test(keys);
}

function typedByPerson(keys: string, at: number, replay: Replay, say: Say): void {
  if (isReport(keys)) return;
  if (replay.lease) say('a key of a person within a lease');
  replay.keyAt = at;
  replay.hasDraft = keys !== '\r' && keys !== '\x03';
}

function sent(
  op: Op,
  { at, agent }: Fact & { kind: 'sent' },
  ops: readonly Op[],
  replay: Replay,
  say: Say,
): void {
  const { lease, keyAt, hasDraft, waiting, holds } = replay;
  if (lease && op.lease !== lease.leaseId) say('a byte of another writer within a lease');
  if (op.lease && op.lease !== lease?.leaseId) say('a byte under a lease that has ended');
  if (op.lease && lease && at > lease.endsAt + SLACK_MS) say('a byte under a lease whose time is over');
  if (op.asksForAgent && agent !== 'idle') say(`a byte for an idle agent that is ${agent}`);
  if (op.kind === 'run' && !holds.has(op.op)) say('a run types that holds nothing');
  if (op.kind !== 'write' || op.whenBusy === 'force' || op.asksForAgent) return;
  const holdMs = hasDraft ? SETTINGS.draftHoldMs : SETTINGS.humanQuietMs;
  if (at + SLACK_MS < keyAt + holdMs) say('a byte into what a person types');
  if (op.lease !== undefined) return;
  const ahead = [...waiting].flatMap((other) => (other < op.op ? (ops[other] ?? []) : []));
  const isOvertaken = (other: Op) => other.kind === 'write' && isInLine(other) && other.outcome !== 'done';
  if (ahead.some(isOvertaken)) say(`overtakes ${ahead.filter(isOvertaken).map((other) => other.op)}`);
}

/** Returns a fault unless a write that was answered as typed occurs once, and a refused write not at all. */
function balanceOf(op: Op, facts: readonly Fact[]): string[] {
  const { kind, outcome } = op;
  if (outcome === undefined) return [`${op.op} was never answered`];
  if (kind === 'retry' && outcome !== 'done') return [`a retry was refused: ${JSON.stringify(op)}`];
  if (kind !== 'write') return [];
  const times = facts.filter((fact) => fact.kind === 'sent' && fact.text.startsWith(op.text)).length;
  const expected = outcome === 'done' ? 1 : 0;
  return times === expected
    ? []
    : [`${op.op} was typed ${times} times, not ${expected}: ${JSON.stringify(op)}`];
}
