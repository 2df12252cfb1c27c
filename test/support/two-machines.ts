import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { CallsIn, type CallsInOptions } from '../../src/fleet/calls-in.js';
import { CallsOut, type CallsOutOptions } from '../../src/fleet/calls-out.js';
import { Consents } from '../../src/fleet/consents.js';
import { FleetEvents } from '../../src/fleet/fleet-events.js';
import { Identity } from '../../src/fleet/identity.js';
import type { FleetLink, FleetMessage } from '../../src/fleet/link.js';
import { Repeats } from '../../src/fleet/repeats.js';
import type { PinnedGrant } from '../../src/fleet/rights.js';
import type { FleetAnswer, FleetRequest } from '../../src/fleet/wire.js';
import type { Replied } from '../../src/workers/fleet-link/protocol.js';

const EPOCH = 'second';

/** Requests of one machine to another, over a line that the test controls. */
export class TwoMachines {
  readonly asking = new Identity(randomBytes(32));
  readonly owner = new Identity(randomBytes(32));
  readonly events = new FleetEvents();
  /** Grants of the owner; `labels` has the labels of its terminals. */
  readonly grants: PinnedGrant[];
  readonly labels: Record<string, Record<string, string>> = {};
  /** Every run at the owner. */
  run: ReturnType<CallsInOptions['runOf']> = { machineId: undefined, terminalIds: [] };
  /** Requests that have run at the owner, in order. */
  readonly ran: FleetRequest[] = [];
  /** Packets with requests that the asking machine has sent, in order. */
  readonly sent: Uint8Array[] = [];
  readonly consents: Consents;
  readonly calls: CallsOut;
  readonly repeats: Repeats;
  readonly #answering: CallsIn;
  readonly #replies = new Map<string, (replied: Replied) => void>();
  /** The owner's epoch that the asking machine knows. */
  knownEpoch = EPOCH;
  /** Milliseconds by which packets on the way of answers arrive later than replies. */
  lateMs = 0;
  /** Carries out a request at the owner. */
  work: (signal: AbortSignal) => Promise<unknown> = async () => undefined;
  answer: string | Uint8Array = '{}';
  /** Passes a packet to the owner; a test replaces this for a line that does more or less. */
  hub: (data: Uint8Array, replyTo: string | undefined) => void = (data, replyTo) =>
    this.deliver(data, replyTo);

  constructor() {
    const { asking, owner, events } = this;
    const counts = {
      served: 0,
      refused: 0,
      routed: 0,
      repeated: 0,
      unknown: 0,
      receivedBytes: 0,
      sentBytes: 0,
    };
    const { machineId, publicKey } = asking;
    this.grants = [
      {
        ...{ id: 'grant_1', to: machineId, can: ['observe', 'type', 'execute'], terminals: '*', until: null },
        ...{ ask: 'never', approved: false, createdAt: 1, publicKey },
      } as unknown as PinnedGrant,
    ];
    const labelsOf = (id: string) => this.labels[id];
    this.consents = new Consents({
      events,
      labelsOf,
      deviceNameOf: (id) => id,
      approved: async () => undefined,
    });
    this.#answering = new CallsIn({
      ...{ identity: () => owner, epoch: EPOCH, counts, labelsOf, consents: this.consents },
      peerOf: () => ({ machineId, publicKey }),
      grants: () => this.grants,
      runOf: () => this.run,
      run: async (_machineId: string, request: FleetRequest, signal: AbortSignal): Promise<FleetAnswer> => {
        this.ran.push(request);
        await this.work(signal);
        return { status: 200, headers: {}, body: Buffer.from(this.answer) };
      },
      onRefused: () => undefined,
      onFault: (error: unknown) => {
        throw error;
      },
    } as unknown as CallsInOptions);
    const say = (subject: string, parts: readonly Uint8Array[]) => {
      for (const part of parts) this.calls.onAnswer(owner.machineId, subject.split('.').at(-1)!, part);
    };
    this.#answering.link = {
      publish: (subject: string, parts: readonly Uint8Array[], isBulk = false) => {
        if (!isBulk) this.#replies.get(subject)?.({ kind: 'reply', data: parts[0]! });
        else if (this.lateMs > 0) void delay(this.lateMs).then(() => say(subject, parts));
        else say(subject, parts);
      },
      answer: async (subject: string, parts: readonly Uint8Array[]) => say(subject, parts),
    } as unknown as FleetLink;
    const entry = () => ({
      ...{ machineId: owner.machineId, publicKey: owner.publicKey, online: true, lastSeenAt: null },
      ...{ epoch: this.knownEpoch, protocols: { min: 1, max: 1 } },
    });
    const directory = { get: entry } as unknown as CallsOutOptions['directory'];
    this.calls = new CallsOut({ identity: () => asking, directory, counts } as unknown as CallsOutOptions);
    this.calls.link = {
      request: (_subject: string, data: Uint8Array, ms: number) => {
        this.sent.push(data);
        const replyTo = `reply ${this.sent.length}`;
        const replied = new Promise<Replied>((resolve) => {
          this.#replies.set(replyTo, resolve);
          setTimeout(() => resolve({ kind: 'lost' }), ms).unref();
        });
        this.hub(data, replyTo);
        return replied;
      },
      publish: (_subject: string, [data]: readonly Uint8Array[]) =>
        this.#answering.onCancel({ from: machineId, data } as FleetMessage),
    } as unknown as FleetLink;
    this.repeats = new Repeats({
      out: this.calls,
      directory,
      events,
      epoch: 'mine',
      counts: counts as never,
    });
  }

  deliver(data: Uint8Array, replyTo?: string): void {
    this.#answering.onCall({ from: this.asking.machineId, data, replyTo } as FleetMessage);
  }

  call(request: FleetRequest, client = new AbortController().signal): Promise<FleetAnswer> {
    return this.calls.call(this.owner.machineId, request, client);
  }
}
