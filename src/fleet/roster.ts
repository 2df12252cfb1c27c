import pLimit from 'p-limit';
import { z } from 'zod';
import { DomainError } from '../contract/errors.js';
import type { FleetTerminal, Machine, UnaskedMachine } from '../contract/fleet.js';
import { RightList } from '../contract/fleet-machines.js';
import { FLEET_ROSTER_MS, MAX_FLEET_ASKED, MAX_KNOWN_PLACES } from '../contract/limits.js';
import { codeIn, jsonIn } from './answers.js';
import type { Entry } from './entry.js';
import { unreachable } from './link.js';
import { machineOf } from './machine.js';
import { sha256 } from './signed.js';
import type { FleetAnswer, FleetRequest } from './wire.js';

export interface RosterOptions {
  /** Returns the other machines of the fleet. */
  list: () => Entry[];
  /** Sends a request to another machine; see `Machines.call`. */
  call: (machineId: string, request: FleetRequest, client: AbortSignal) => Promise<FleetAnswer>;
}

/** A machine's answer to `GET /api/terminals`, as far as the roster needs it. */
const Listed = z.object({ terminals: z.array(z.object({ id: z.string(), name: z.string() })) });

/** A question to all other machines. */
interface Question<Content> {
  url: string;
  schema: z.ZodType<Content>;
  /** Returns the SHA-256 of the last answer of this machine, if that is kept: it need not be sent again. */
  known?: (entry: Entry) => string | undefined;
}

/** The answer of a machine; or that the answer that is kept still holds; or the code of the error. */
type Asked<Content> =
  | { entry: Entry; content: Content; hash: string }
  | { entry: Entry; isKnown: true }
  | { entry: Entry; code: string };

/** Terminals that a machine has listed. */
interface Listing {
  terminals: FleetTerminal[];
  /** In epoch milliseconds. */
  seenAt: number;
  /** SHA-256 of the answer, in base64url. */
  hash: string;
  /** The name of the machine at that time, which its terminals carry. */
  deviceName: string;
}

/** The terminals of the other machines, by asking all of them at once. */
export class Roster {
  readonly #options: RosterOptions;
  /** Last listing of each machine, in memory only. */
  readonly #listed = new Map<string, Listing>();
  /** Machines of terminals that were found; the ones found last come last. */
  readonly #places = new Map<string, string>();

  constructor(options: RosterOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the terminals of all other machines that this one may observe; for a machine that is offline, with its
   * last list. Rejects with the reason of `client`.
   */
  async terminals(client: AbortSignal): Promise<{ terminals: FleetTerminal[]; unasked: UnaskedMachine[] }> {
    const known = ({ machineId, deviceName }: Entry) => {
      const { hash, deviceName: before } = this.#listed.get(machineId) ?? {};
      return before === deviceName ? hash : undefined;
    };
    const asked = await this.#askAll({ url: '/api/terminals', schema: Listed, known }, client);
    const terminals = asked.flatMap((each) => this.#terminalsOf(each));
    return { terminals, unasked: asked.flatMap(unaskedIn) };
  }

  /**
   * Resolves with the only other machine that has a terminal. If no machine says so now, resolves with the machine that
   * had it at the last look or list, which knows its outcome. Rejects with terminal-not-found, whose `unasked` lists
   * the machines that did not say; with ambiguous-target; with machine-unreachable if another machine claims the
   * terminal while the machine that had it cannot be asked; and with the reason of `client`.
   */
  async find(terminalId: string, client: AbortSignal): Promise<string> {
    const asked = await this.#askAll(
      { url: `/api/fleet/terminals/${terminalId}`, schema: z.unknown() },
      client,
    );
    const having = asked.flatMap((each) => ('content' in each ? [each.entry] : []));
    const machines = this.#options.list().map(machineOf);
    if (having.length > 1) {
      const candidates: Machine[] = having.map(machineOf);
      throw new DomainError('ambiguous-target', undefined, { details: { candidates, machines } });
    }
    const before = this.#places.get(terminalId) ?? this.#listerOf(terminalId);
    const silent = asked.find((each) => each.entry.machineId === before && isSilent(each));
    // The machine that had the terminal cannot be asked, and another machine that claims it now may be lying.
    if (silent && having.length > 0) throw unreachable(silent.entry.lastSeenAt);
    const machineId = having[0]?.machineId ?? before;
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
    const asked = await this.#askAll({ url, schema: Listed }, client);
    return asked.map((each) => ({
      ...{ entry: each.entry, ids: 'content' in each ? each.content.terminals.map(({ id }) => id) : [] },
      ...('code' in each && { code: each.code }),
    }));
  }

  /** Resolves with this machine's rights at each machine that answers. Rejects with the reason of `client`. */
  async rights(client: AbortSignal): Promise<Map<string, RightList['rights']>> {
    const asked = await this.#askAll({ url: '/api/fleet/rights', schema: RightList }, client);
    const told = asked.flatMap((each) =>
      'content' in each ? [[each.entry.machineId, each.content.rights] as const] : [],
    );
    return new Map(told);
  }

  #terminalsOf(asked: Asked<z.infer<typeof Listed>>): FleetTerminal[] {
    const { machineId, os, deviceName, online } = asked.entry;
    const listed = this.#listed.get(machineId);
    if ('code' in asked) {
      // An online machine that has refused to list its terminals shows none, not its earlier ones.
      return online || !listed ? [] : listed.terminals.map((each) => ({ ...each, seenAt: listed.seenAt }));
    }
    const seenAt = Date.now();
    if ('isKnown' in asked) {
      if (listed) listed.seenAt = seenAt;
      return listed?.terminals ?? [];
    }
    const terminals = asked.content.terminals.map(({ id, name }) => ({
      ...{ id, title: name, running: true, machineId, os, deviceName },
    }));
    this.#listed.set(machineId, { terminals, seenAt, hash: asked.hash, deviceName });
    return terminals;
  }

  /** Asks every other machine the same; each gets FLEET_ROSTER_MS. */
  async #askAll<Content>(question: Question<Content>, client: AbortSignal): Promise<Asked<Content>[]> {
    const limit = pLimit(MAX_FLEET_ASKED);
    const machines = this.#options.list();
    const known = new Set(machines.map(({ machineId }) => machineId));
    for (const machineId of this.#listed.keys()) if (!known.has(machineId)) this.#listed.delete(machineId);
    return Promise.all(machines.map((entry) => limit(() => this.#ask(entry, question, client))));
  }

  async #ask<Content>(
    entry: Entry,
    { url, schema, known }: Question<Content>,
    client: AbortSignal,
  ): Promise<Asked<Content>> {
    const late = AbortSignal.timeout(FLEET_ROSTER_MS);
    const signal = AbortSignal.any([client, late]);
    const request = { method: 'GET', url, known: known?.(entry) };
    try {
      const answer = await this.#options.call(entry.machineId, request, signal);
      if (answer.status === 304 && request.known !== undefined) return { entry, isKnown: true };
      const content = jsonIn(answer);
      if (answer.status !== 200) return { entry, code: codeIn(content) ?? 'fleet-protocol' };
      const parsed = schema.safeParse(content);
      if (!parsed.success) return { entry, code: 'fleet-protocol' };
      return { entry, content: parsed.data, hash: sha256(answer.body) };
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

/** Returns whether a machine has not answered whether it has a terminal. */
function isSilent(asked: Asked<unknown>): boolean {
  return 'code' in asked && asked.code === 'machine-unreachable';
}

function unaskedIn(asked: Asked<unknown>): UnaskedMachine[] {
  if (!('code' in asked)) return [];
  const { machineId, deviceName } = asked.entry;
  return [{ machineId, deviceName, code: asked.code }];
}
