import type { Attached } from '../../actors/attached/attached.js';
import type { Attachment, DetachReason } from '../../contract/attach.js';
import { DomainError } from '../../contract/errors.js';
import type { LiveTold, LiveWish, ToldClient, WishedClient } from '../../fleet/streams/live-wire.js';
import type { ServedStream } from '../../fleet/streams/served-stream.js';
import type { LiveAsked } from '../../fleet/streams/streams-in.js';

/** The clients that are attached to terminals here. */
export type AttachedHere = Pick<
  Attached,
  'attach' | 'attachment' | 'detach' | 'lead' | 'resizeClient' | 'isAttached' | 'typed'
>;

export interface GuestClientsOptions extends LiveAsked {
  attached: AttachedHere;
  stream: Pick<ServedStream, 'tell'>;
  onFault: (error: unknown) => void;
}

/** Clients of another machine that are attached to one terminal here. The other machine decides which clients these are. */
export class GuestClients {
  readonly #options: GuestClientsOptions;
  /** The clients as the other machine asked for them last, by their ids on that machine. */
  readonly #clients = new Map<string, WishedClient>();
  #version = 0;
  #turn: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(options: GuestClientsOptions) {
    this.#options = options;
  }

  /** Attaches and detaches clients until they are as the other machine wishes, and reports the outcome to it. */
  want({ version, clients }: LiveWish): void {
    if (version <= this.#version) return;
    this.#version = version;
    this.#turn = this.#turn.then(() => this.#follow(version, clients)).catch(this.#options.onFault);
  }

  /** Detaches the clients that may no longer type. */
  look(): void {
    if (this.#options.has('type')) return;
    for (const client of [...this.#clients.values()]) if (!client.readOnly) this.#detach(client.clientId);
  }

  /** Detaches all clients, since the other machine no longer watches the terminal. They may be attached to others. */
  leave(): void {
    this.#isOver = true;
    for (const clientId of [...this.#clients.keys()]) this.#detach(clientId, 'disconnected');
  }

  async #follow(version: number, wanted: readonly WishedClient[]): Promise<void> {
    const ids = new Set(wanted.map(({ clientId }) => clientId));
    for (const clientId of [...this.#clients.keys()]) if (!ids.has(clientId)) this.#detach(clientId);
    const clients: ToldClient[] = [];
    for (const client of wanted) {
      if (this.#isOver) return;
      clients.push(await this.#bring(client));
    }
    const told: LiveTold = { version, clients };
    this.#options.stream.tell(told);
  }

  async #bring(client: WishedClient): Promise<ToldClient> {
    const { clientId } = client;
    try {
      return { clientId, as: this.#idOf(clientId), ...(await this.#attach(client)) };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#clients.delete(clientId);
      const { needs } = error.details;
      const missing = typeof needs === 'string' && { needs };
      return { clientId, code: error.code, error: error.message, ...missing };
    }
  }

  async #attach(client: WishedClient) {
    const { attached, terminalId, has } = this.#options;
    const { clientId, cols, rows, readOnly, name, typed, leads, sized } = client;
    if (!readOnly && !has('type'))
      throw new DomainError('not-granted', undefined, { details: { needs: 'type' } });
    const id = this.#idOf(clientId);
    const before = this.#clients.get(clientId);
    const isAttached = before !== undefined && attached.isAttached(terminalId, id);
    // A client here has detached it: it comes back only if it attaches again.
    if (before && !isAttached && before.name === name && before.readOnly === readOnly)
      throw new DomainError('not-attached');
    this.#clients.set(clientId, client);
    let state: Attachment;
    if (!isAttached || before.readOnly !== readOnly || before.name !== name)
      state = await attached.attach(terminalId, id, { cols, rows, readOnly, name });
    // The wish repeats the sizes of all clients: only a size that its client has set anew overrules that of the API.
    else if (sized === undefined || sized !== before.sized)
      state = await attached.resizeClient(terminalId, id, { cols, rows });
    else state = await attached.attachment(terminalId, id);
    if (leads > (before?.leads ?? 0)) state = await attached.lead(terminalId, id);
    if (typed > (before?.typed ?? 0)) {
      // Its input comes by requests of its own; here it only counts as a client that types.
      attached.typed(terminalId, id, ' ');
      state = await attached.attachment(terminalId, id);
    }
    return { isLeader: state.isLeader, cols: state.cols, rows: state.rows };
  }

  #detach(clientId: string, reason: DetachReason = 'requested'): void {
    const { attached, terminalId, onFault } = this.#options;
    this.#clients.delete(clientId);
    const id = this.#idOf(clientId);
    if (!attached.isAttached(terminalId, id)) return;
    attached.detach(terminalId, id, reason).catch((error: unknown) => {
      // The terminal has gone, and its clients with it.
      if (!(error instanceof DomainError)) onFault(error);
    });
  }

  /** Returns the id of the client here. No machine can name a client of this machine or of a third. */
  #idOf(clientId: string): string {
    return `${this.#options.machineId}/${clientId}`;
  }
}
