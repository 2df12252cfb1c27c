import pLimit from 'p-limit';
import { z } from 'zod';
import { DomainError } from '../contract/errors.js';
import type { FleetTerminal, Machine, UnaskedMachine } from '../contract/fleet.js';
import { RightList } from '../contract/fleet-machines.js';
import { FLEET_ROSTER_MS, MAX_FLEET_ASKED, MAX_KNOWN_PLACES } from '../contract/limits.js';
import type { Entry } from './entry.js';
import { machineOf } from './machine.js';
import type { FleetAnswer, FleetRequest } from './wire.js';

export interface RosterOptions {
  /** Returns the other machines of the fleet. */
  list: () => Entry[];
  /** Sends a request to another machine; see `Machines.call`. */
  call: (machineId: string, request: FleetRequest, client: AbortSignal) => Promise<FleetAnswer>;
}

/** What a machine answers to `GET /api/terminals`, as far as the roster needs it. */
const Listed = z.object({ terminals: z.array(z.object({ id: z.string(), name: z.string() })) });

/** A machine and what it answered; or the code of the error with which it did not. */
type Asked = { entry: Entry; body: unknown } | { entry: Entry; code: string };

/** The terminals of the other machines, by asking all of them at once. */
export class Roster {
  readonly #options: RosterOptions;
  /** Terminals that machines have listed, and when, in epoch milliseconds. Forgotten with the process. */
  readonly #listed = new Map<string, { terminals: FleetTerminal[]; seenAt: number }>();
  /** Machines of terminals that were found; the ones found last come last. */
  readonly #places = new Map<string, string>();

  constructor(options: RosterOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the terminals of all other machines as far as this one may observe them: of a machine that is offline,
   * those that it has listed last. Rejects with the reason of `client`.
   */
  async terminals(client: AbortSignal): Promise<{ terminals: FleetTerminal[]; unasked: UnaskedMachine[] }> {
    const asked = await this.#askAll('/api/terminals', client);
    const terminals = asked.flatMap((each) => this.#terminalsOf(each));
    return { terminals, unasked: asked.flatMap(unaskedIn) };
  }

  /**
   * Resolves with the only other machine that has a terminal; if none says so now, with the one that had it when it was
   * last looked for or listed, which knows what became of it. Rejects with terminal-not-found, whose `unasked` lists the machines
   * that did not say; with ambiguous-target; and with the reason of `client`.
   */
  async find(terminalId: string, client: AbortSignal): Promise<string> {
    const asked = await this.#askAll(`/api/fleet/terminals/${terminalId}`, client);
    const having = asked.flatMap((each) => ('body' in each ? [each.entry] : []));
    const machines = this.#options.list().map(machineOf);
    if (having.length > 1) {
      const candidates: Machine[] = having.map(machineOf);
      throw new DomainError('ambiguous-target', undefined, { details: { candidates, machines } });
    }
    const machineId = having[0]?.machineId ?? this.#places.get(terminalId) ?? this.#listerOf(terminalId);
    if (machineId !== undefined && machines.some((each) => each.machineId === machineId)) {
      this.#remember(terminalId, machineId);
      return machineId;
    }
    const unasked = asked.flatMap(unaskedIn).filter(({ code }) => code !== 'terminal-not-found');
    throw new DomainError('terminal-not-found', undefined, {
      ...(unasked.length > 0 && { details: { unasked } }),
    });
  }

  /**
   * Resolves with the other machines, each with the ids of its terminals with these labels that this one may observe, or
   * with the code of the error with which it did not say. Rejects with the reason of `client`.
   */
  async select(
    selector: string,
    status: 'running' | 'all',
    client: AbortSignal,
  ): Promise<{ entry: Entry; ids: string[]; code?: string }[]> {
    const url = `/api/terminals?status=${status}&selector=${encodeURIComponent(selector)}`;
    const asked = await this.#askAll(url, client);
    return asked.map((each) =>
      'body' in each
        ? { entry: each.entry, ids: Listed.parse(each.body).terminals.map(({ id }) => id) }
        : { entry: each.entry, ids: [], code: each.code },
    );
  }

  /** Resolves with what each of the machines that answer lets this one do. Rejects with the reason of `client`. */
  async rights(client: AbortSignal): Promise<Map<string, RightList['rights']>> {
    const asked = await this.#askAll('/api/fleet/rights', client);
    const told = asked.flatMap((each) => {
      const parsed = 'body' in each ? RightList.safeParse(each.body) : undefined;
      return parsed?.success ? [[each.entry.machineId, parsed.data.rights] as const] : [];
    });
    return new Map(told);
  }

  #terminalsOf(asked: Asked): FleetTerminal[] {
    const { machineId, os, deviceName } = asked.entry;
    if ('code' in asked) {
      const { terminals = [], seenAt = 0 } = this.#listed.get(machineId) ?? {};
      // What a machine has refused to show it shows no longer.
      return asked.entry.online ? [] : terminals.map((each) => ({ ...each, seenAt }));
    }
    const { terminals } = Listed.parse(asked.body);
    const shown = terminals.map(({ id, name }) => ({
      ...{ id, title: name, running: true, machineId, os, deviceName },
    }));
    this.#listed.set(machineId, { terminals: shown, seenAt: Date.now() });
    return shown;
  }

  /** Asks every other machine the same; each gets FLEET_ROSTER_MS. */
  async #askAll(url: string, client: AbortSignal): Promise<Asked[]> {
    const limit = pLimit(MAX_FLEET_ASKED);
    const machines = this.#options.list();
    const known = new Set(machines.map(({ machineId }) => machineId));
    for (const machineId of this.#listed.keys()) if (!known.has(machineId)) this.#listed.delete(machineId);
    return Promise.all(machines.map((entry) => limit(() => this.#ask(entry, url, client))));
  }

  async #ask(entry: Entry, url: string, client: AbortSignal): Promise<Asked> {
    const late = AbortSignal.timeout(FLEET_ROSTER_MS);
    const signal = AbortSignal.any([client, late]);
    try {
      const { status, body } = await this.#options.call(entry.machineId, { method: 'GET', url }, signal);
      const content = JSON.parse(body.toString()) as { code?: unknown };
      return status === 200 ? { entry, body: content } : { entry, code: String(content.code) };
    } catch (error) {
      if (client.aborted) throw client.reason;
      if (late.aborted) return { entry, code: 'machine-unreachable' };
      if (error instanceof DomainError) return { entry, code: error.code };
      throw error;
    }
  }

  #listerOf(terminalId: string): string | undefined {
    for (const [machineId, { terminals }] of this.#listed)
      if (terminals.some(({ id }) => id === terminalId)) return machineId;
    return undefined;
  }

  #remember(terminalId: string, machineId: string): void {
    this.#places.delete(terminalId);
    this.#places.set(terminalId, machineId);
    const [oldest] = this.#places.keys();
    if (this.#places.size > MAX_KNOWN_PLACES && oldest !== undefined) this.#places.delete(oldest);
  }
}

function unaskedIn(asked: Asked): UnaskedMachine[] {
  if (!('code' in asked)) return [];
  const { machineId, deviceName } = asked.entry;
  return [{ machineId, deviceName, code: asked.code }];
}
