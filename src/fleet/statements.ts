import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Identity, machineIdOf } from './identity.js';
import { type Purpose, seal, unchecked, unseal } from './signed.js';

/**
 * Messages between the hub and the machines about the fleet itself: heartbeats, the directory, a farewell. On a server
 * that a hub runs, the subject proves the sender, and they are JSON as protocol 1 has them. On a server of others they
 * are signed, for one fleet, and numbered within one start of the hub, so that none counts twice.
 */
export interface Statements {
  /** At the hub: returns the content of a machine's statement; undefined if it is not from that machine, or is a past one. */
  fromMachine(publicKey: string, use: 'beat' | 'leave', data: Uint8Array): unknown;
  /** At the hub: returns a statement to all machines. */
  toAll(content: object): Uint8Array;
  /** At the hub: returns the reply to a machine that asks for the directory; undefined if the question is not its own. */
  reply(asker: Asker, asked: Uint8Array, content: () => object): Uint8Array | undefined;

  /** Elsewhere: returns a statement to the hub; undefined until the hub's present start is known. */
  toHub(use: 'beat' | 'leave', content: object): Uint8Array | undefined;
  /** Elsewhere: returns a question for the directory. */
  ask(): Uint8Array;
  /** Elsewhere: returns the content of the hub's reply; undefined if it does not answer the last question. */
  answered(data: Uint8Array): Told | undefined;
  /** Elsewhere: returns the hub's statement to all; undefined if it is not from the hub, or is a past one. */
  fromHub(data: Uint8Array): Told | undefined;
}

/** A machine that asks the hub, by the name under which its question comes. */
export interface Asker {
  machineId: string;
  /** Undefined if it is not in the fleet. */
  publicKey: string | undefined;
}

/** A statement of the hub. */
export interface Told {
  /** Absent if the hub has to be asked first, because the statement is of a start that is not known here. */
  content?: unknown;
  /** Whether a statement before this one is missing. */
  isGap?: boolean;
  /** Whether the hub does not know this machine. */
  isStranger?: boolean;
}

/** Statements on the server of a hub. */
export class PlainStatements implements Statements {
  fromMachine(_publicKey: string, _use: string, data: Uint8Array): unknown {
    return data.length === 0 ? {} : jsonOf(data);
  }

  toAll(content: object): Uint8Array {
    return bytesOf(content);
  }

  reply({ publicKey }: Asker, _asked: Uint8Array, content: () => object): Uint8Array | undefined {
    return publicKey === undefined ? undefined : bytesOf(content());
  }

  toHub(use: 'beat' | 'leave', content: object): Uint8Array {
    return use === 'leave' ? new Uint8Array() : bytesOf(content);
  }

  ask(): Uint8Array {
    return new Uint8Array();
  }

  answered(data: Uint8Array): Told {
    return this.fromHub(data);
  }

  fromHub(data: Uint8Array): Told {
    return { content: jsonOf(data) };
  }
}

const Spoken = z.object({
  fleet: z.string(),
  from: z.string(),
  hub: z.string(),
  n: z.int(),
  content: z.unknown(),
});
const Asked = z.object({ fleet: z.string(), publicKey: z.string(), nonce: z.string().max(100) });
const ToAll = z.object({ fleet: z.string(), hub: z.string(), n: z.int(), content: z.unknown() });
const Reply = ToAll.extend({
  nonce: z.string(),
  /**
   * Number of the last statement that the hub has taken from the machine; null for a machine that is not in the fleet.
   */
  after: z.int().nullable(),
});

export interface SignedFacts {
  fleetId: string;
  identity: Identity;
  hubKey: string;
  /** This start of the service; at the hub, other machines name it. */
  epoch: string;
}

/** Statements on a server that others run, where anybody may speak under any name. */
export class SignedStatements implements Statements {
  readonly #facts: SignedFacts;
  /**
   * At the hub: numbers of the last statements that were taken, by the keys of machines, also of machines that have
   * left.
   */
  readonly #taken = new Map<string, number>();
  /** Number of the last statement: from the hub to all, or from this machine to the hub. */
  #said = 0;
  /** Elsewhere: the hub's present start, and the number of its last statement. */
  #hub: { start: string; n: number } | undefined;
  #nonce: string | undefined;

  constructor(facts: SignedFacts) {
    this.#facts = facts;
  }

  fromMachine(publicKey: string, use: 'beat' | 'leave', data: Uint8Array): unknown {
    const spoken = this.#read(use, data, publicKey, Spoken);
    const isMeant = spoken?.hub === this.#facts.epoch && spoken.from === machineIdOf(publicKey);
    if (!spoken || !isMeant || spoken.n <= (this.#taken.get(publicKey) ?? 0)) return undefined;
    this.#taken.set(publicKey, spoken.n);
    return spoken.content;
  }

  toAll(content: object): Uint8Array {
    const { fleetId: fleet, epoch: hub, identity } = this.#facts;
    return seal(identity, 'directory', { fleet, hub, n: ++this.#said, content });
  }

  reply({ machineId, publicKey }: Asker, data: Uint8Array, content: () => object): Uint8Array | undefined {
    const { fleetId: fleet, epoch: hub, identity } = this.#facts;
    const claimed = Asked.safeParse(unchecked(data));
    if (!claimed.success) return undefined;
    const asked = this.#read('ask', data, publicKey ?? claimed.data.publicKey, Asked);
    // A question that is passed on under another name must not make its machine a stranger.
    if (!asked || machineIdOf(publicKey ?? claimed.data.publicKey) !== machineId) return undefined;
    const after = publicKey === undefined ? null : (this.#taken.get(publicKey) ?? 0);
    const told = { fleet, hub, n: this.#said, nonce: asked.nonce, after };
    return seal(identity, 'reply', { ...told, content: after === null ? {} : content() });
  }

  toHub(use: 'beat' | 'leave', content: object): Uint8Array | undefined {
    const { fleetId: fleet, identity } = this.#facts;
    if (!this.#hub) return undefined;
    const spoken = { fleet, from: identity.machineId, hub: this.#hub.start, n: ++this.#said, content };
    return seal(identity, use, spoken);
  }

  ask(): Uint8Array {
    const { fleetId: fleet, identity } = this.#facts;
    this.#nonce = randomBytes(16).toString('base64url');
    return seal(identity, 'ask', { fleet, publicKey: identity.publicKey, nonce: this.#nonce });
  }

  answered(data: Uint8Array): Told | undefined {
    const reply = this.#read('reply', data, this.#facts.hubKey, Reply);
    if (!reply || reply.nonce !== this.#nonce) return undefined;
    const { hub: start, n, after, content } = reply;
    // A statement of the hub to all that came meanwhile is later than this reply.
    if (this.#hub?.start === start && this.#hub.n > n) return {};
    this.#hub = { start, n };
    if (after === null) return { isStranger: true };
    this.#said = Math.max(this.#said, after);
    return { content };
  }

  fromHub(data: Uint8Array): Told | undefined {
    const told = this.#read('directory', data, this.#facts.hubKey, ToAll);
    if (!told) return undefined;
    if (told.hub !== this.#hub?.start) return {};
    const isGap = told.n > this.#hub.n + 1;
    if (told.n <= this.#hub.n) return undefined;
    this.#hub.n = told.n;
    return { content: told.content, isGap };
  }

  /** Returns the content that a machine has signed for this fleet. Messages of other fleets cost no signature check. */
  #read<Content extends { fleet: string }>(
    purpose: Purpose,
    data: Uint8Array,
    publicKey: string,
    schema: z.ZodType<Content>,
  ): Content | undefined {
    const claimed = unchecked(data) as { fleet?: unknown } | undefined;
    if (claimed?.fleet !== this.#facts.fleetId) return undefined;
    const parsed = schema.safeParse(unseal(data, purpose, publicKey));
    return parsed.success && parsed.data.fleet === this.#facts.fleetId ? parsed.data : undefined;
  }
}

function bytesOf(content: object): Uint8Array {
  return Buffer.from(JSON.stringify(content));
}

function jsonOf(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString());
  } catch {
    return undefined;
  }
}
