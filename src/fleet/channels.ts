import { Channel, channelOf } from './channel.js';
import type { Entry } from './entry.js';
import type { Identity } from './identity.js';
import { AgreementKey } from './key-agreement.js';
import type { Peer } from './rights.js';
import { type Seals, signatures } from './signed.js';

/** Key that this machine has offered another one, for requests to it. */
export class Offer {
  readonly publicKey: string;
  readonly epoch: string;
  readonly #mine = new AgreementKey();
  #channel: Channel | undefined;

  /** @param epoch - start of the other machine that the offer is for: a later start knows nothing of it */
  constructor({ publicKey }: Pick<Entry, 'publicKey'>, epoch: string) {
    this.publicKey = publicKey;
    this.epoch = epoch;
  }

  /** This machine's key, sent with each signed request. */
  get key(): string {
    return this.#mine.publicKey;
  }

  /** Undefined until the other machine has accepted. */
  get channel(): Channel | undefined {
    return this.#channel;
  }

  /** Takes the other machine's key from its signed answer; a text that is no key accepts nothing. */
  accepted(key: string): void {
    this.#channel ??= Channel.ofSender(this.#mine, key);
  }
}

/** Channels for requests to other machines, by machine. They end with the link, and with either machine's start. */
export class ChannelsOut {
  readonly #offers = new Map<string, Offer>();

  /** Returns the offer to a machine, for this start of it. */
  to(entry: Pick<Entry, 'machineId' | 'publicKey'>, epoch: string): Offer {
    const made = this.#offers.get(entry.machineId);
    if (made?.epoch === epoch && made.publicKey === entry.publicKey) return made;
    const offer = new Offer(entry, epoch);
    this.#offers.set(entry.machineId, offer);
    return offer;
  }

  /** Without an id, forgets all of them. */
  forget(machineId?: string): void {
    if (machineId === undefined) this.#offers.clear();
    else this.#offers.delete(machineId);
  }
}

interface Accepted {
  publicKey: string;
  offer: string;
  /** This machine's key. */
  accept: string;
  channel: Channel;
}

/** Channels of other machines' requests to this one: the last that each has offered. */
export class ChannelsIn {
  readonly #identity: () => Identity;
  readonly #accepted = new Map<string, Accepted>();

  constructor(identity: () => Identity) {
    this.#identity = identity;
  }

  /** Returns the seals that a message claims to have; undefined for a channel that is not known here. */
  sealsOf({ machineId, publicKey }: Peer, message: Uint8Array): Seals | undefined {
    const id = channelOf(message);
    if (id === undefined) return signatures(this.#identity(), publicKey);
    const known = this.#accepted.get(machineId);
    return known?.publicKey === publicKey && known.channel.id === id ? known.channel : undefined;
  }

  /** Accepts an offer from a signed request. Returns the key for the signed answer; undefined for a text that is no key. */
  accept({ machineId, publicKey }: Peer, offer: string): string | undefined {
    const known = this.#accepted.get(machineId);
    if (known?.publicKey === publicKey && known.offer === offer) return known.accept;
    const mine = new AgreementKey();
    const channel = Channel.ofReceiver(mine, offer);
    if (!channel) return undefined;
    this.#accepted.set(machineId, { publicKey, offer, accept: mine.publicKey, channel });
    return mine.publicKey;
  }

  /** Forgets the machines for which `isKept` is false. */
  keep(isKept: (machineId: string) => boolean): void {
    for (const machineId of this.#accepted.keys()) if (!isKept(machineId)) this.#accepted.delete(machineId);
  }
}
