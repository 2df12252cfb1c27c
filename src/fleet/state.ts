import { readFile, rm } from 'node:fs/promises';
import pLimit from 'p-limit';
import { z } from 'zod';
import { ConfigError } from '../config/config-error.js';
import { replaceFile } from '../config/replace-file.js';
import { Grant, Right } from '../contract/fleet-machines.js';

const KnownMachine = z.object({
  machineId: z.string(),
  publicKey: z.string(),
  deviceName: z.string(),
  os: z.enum(['windows', 'macos', 'linux']),
  /** Release of the service there. */
  version: z.string(),
  /** Epoch milliseconds; null if it was never seen. */
  lastSeenAt: z.number().nullable(),
  /** When it joined, by the hub's clock; absent for machines that joined a hub of the first release. */
  joinedAt: z.number().optional(),
});
export type KnownMachine = z.infer<typeof KnownMachine>;

const KeptInvite = z.object({
  id: z.string(),
  /** The secret, in base64url: a reader of this file can act as the hub anyway. */
  secret: z.string(),
  expiresAt: z.number(),
  /** Attempts to join with it, whether they succeeded or not. */
  tries: z.int(),
  as: z.string().optional(),
  give: z.array(Right).optional(),
  confirmed: z.boolean(),
  /** The machine that has joined by this invitation, and may still ask whether it has joined. */
  usedBy: z.string().optional(),
});
export type KeptInvite = z.infer<typeof KeptInvite>;

const hubKey = { machineId: z.string(), publicKey: z.string() };

const FleetFile = z.object({
  version: z.literal(1),
  role: z.enum(['hub', 'member']),
  fleetId: z.string(),
  hub: z.union([
    z.object({
      ...hubKey,
      /** As other machines reach it. */
      host: z.string(),
      port: z.int(),
      /** PEM. */
      certificate: z.string(),
    }),
    /** The fleet meets at the server of `fleet.url`. */
    z.object({ ...hubKey, isOutside: z.literal(true) }),
  ]),
  /** At the hub: the address that its server listens on. */
  listen: z.string().optional(),
  /** Other machines: at the hub, all that may connect; elsewhere, all that the hub has named. */
  machines: z.array(KnownMachine),
  invites: z.array(KeptInvite),
  /** `approved`: whether a person has approved the first use of a grant that asks for it. */
  grants: z.array(Grant.extend({ publicKey: z.string(), approved: z.boolean().default(false) })),
});
export type FleetFacts = z.infer<typeof FleetFile>;

/** Where a fleet's own server is. */
export type OwnServer = Exclude<FleetFacts['hub'], { isOutside: true }>;

/** Returns the server that the hub of a fleet runs; undefined if others run it. */
export function ownServerOf({ hub }: Pick<FleetFacts, 'hub'>): OwnServer | undefined {
  return 'isOutside' in hub ? undefined : hub;
}

/** State of the fleet on this machine, kept in a file. Without the file the machine is in no fleet. */
export class FleetState {
  readonly #file: string;
  readonly #inTurn = pLimit(1);
  #facts: FleetFacts | undefined;

  private constructor(file: string, facts: FleetFacts | undefined) {
    this.#file = file;
    this.#facts = facts;
  }

  /** Reads the file, or rejects with a ConfigError that names it: a hub that forgot its machines would lock them out. */
  static async open(file: string): Promise<FleetState> {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw new ConfigError(`${file}: cannot be read (${error.code})`, { cause: error });
    });
    if (text === undefined) return new FleetState(file, undefined);
    try {
      return new FleetState(file, FleetFile.parse(JSON.parse(text)));
    } catch (cause) {
      throw new ConfigError(`${file}: is no file of a fleet; move it away to start without one`, { cause });
    }
  }

  /** Undefined while this machine is in no fleet. */
  get facts(): FleetFacts | undefined {
    return this.#facts;
  }

  /**
   * Changes the state; resolves once it is on the disk. Rejects with the system's error or that of `change`; then nothing
   * has changed. Changes are made one after the other.
   */
  change(change: (facts: FleetFacts) => FleetFacts): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#facts) return;
      await this.#write(change(this.#facts));
    });
  }

  /** Enters a fleet. */
  enter(facts: FleetFacts): Promise<void> {
    return this.#inTurn(() => this.#write(facts));
  }

  /** Forgets the fleet. */
  leave(): Promise<void> {
    return this.#inTurn(async () => {
      await rm(this.#file, { force: true });
      this.#facts = undefined;
    });
  }

  async #write(facts: FleetFacts): Promise<void> {
    await replaceFile(this.#file, `${JSON.stringify(facts, null, 2)}\n`);
    this.#facts = facts;
  }
}
