import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { type FleetMachine, online } from './fleet.js';

/** A POST that is repeated until its outcome is known. */
interface Settled {
  path: string;
  body: object;
  /** Idempotency-Key; if absent, the service chooses a key. */
  key?: string | undefined;
}

/** Longest time that the other machine may be away. */
const AWAY_MS = 90_000;

/**
 * Sends a request about another machine until its outcome is known, repeating it with the key that an answer of an
 * unknown outcome names. Resolves with the body of the 200.
 */
export async function settledAt<Body extends object>(
  hub: FleetMachine,
  machineId: string,
  { path, body, key: first }: Settled,
): Promise<Body> {
  let key = first;
  for (;;) {
    const answer = await hub.api.raw({
      ...{ method: 'POST', path, body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
    });
    const content = JSON.parse(answer.body) as Body & { code?: string; key?: string };
    if (answer.status === 200) return content;
    // The request was not carried out, or its outcome is unknown: with the key, repeating it is safe in both cases.
    expect([answer.status, content.code]).toEqual([
      503,
      expect.stringMatching(/^(machine-unreachable|fleet-outcome-unknown)$/),
    ]);
    key ??= content.key;
    await online(hub, machineId, true, AWAY_MS);
  }
}

/** Returns how often each line occurs in a file. */
export async function countsIn(file: string): Promise<Record<string, number>> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  const counts: Record<string, number> = {};
  for (const line of lines) counts[line] = (counts[line] ?? 0) + 1;
  return counts;
}
