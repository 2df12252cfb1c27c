import { errorOf } from './errors.js';
import { joinedSignal } from './joined-signal.js';
import { failureOf, objectOf } from './refusal.js';
import type { Transport, WireAnswer, WireRequest, WireSocket } from './transport.js';
import { textOf } from './whole.js';

interface Named {
  machineId: string;
  deviceName: string;
}

/** Ids of machines; their names are looked up. */
const MACHINE_ID = /^m_[0-9a-z]{12}$/;

/** Routes that this machine answers itself, whichever machine a client speaks with. */
const OWN = ['/api/fleet/', '/api/machines/'];

/**
 * The way to the service of another machine of the fleet, through that of this one: `/api/...` becomes
 * `/api/machines/<id>/...`. Requests that the other machine has not granted are refused.
 */
export class MachineTransport implements Transport {
  readonly #inner: Transport;
  readonly #isShared: boolean;
  readonly #machine: string;
  readonly #closing = new AbortController();
  #id: string | undefined;

  /**
   * @param inner - the way to this machine's service
   * @param machine - its id, or its name, which is looked up before the first request; `self` is this machine
   * @param isShared - others use `inner`, too: {@link close} leaves it open, and ends only its own requests
   */
  constructor(inner: Transport, machine: string, isShared = false) {
    this.#inner = inner;
    this.#isShared = isShared;
    this.#machine = machine;
    // Each request listens.
    inner.allowManyListeners?.(this.#closing.signal);
    if (machine === 'self' || MACHINE_ID.test(machine)) this.#id = machine;
  }

  /** Rejects as the inner transport does, and with NotFoundError if no machine or several have the name. */
  async send(request: WireRequest): Promise<WireAnswer> {
    const { signal, release } = joinedSignal(request.signal, this.#closing.signal);
    try {
      const path = await this.#pathOf(request.path, { ...request, signal });
      const { cancel, body, ...head } = await this.#inner.send({ ...request, path, signal });
      const end = () => {
        release();
        cancel();
      };
      return { ...head, body: untilRead(body, release), cancel: end };
    } catch (error) {
      release();
      throw error;
    }
  }

  async connect(path: string, signal?: AbortSignal): Promise<WireSocket> {
    const token = new URLSearchParams(path.split('?')[1]).get('token');
    const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    return this.#inner.connect(await this.#pathOf(path, { headers, signal }), signal);
  }

  allowManyListeners(signal: AbortSignal): void {
    this.#inner.allowManyListeners?.(signal);
  }

  close(): void {
    if (this.#isShared) this.#closing.abort();
    else this.#inner.close();
  }

  async #pathOf(path: string, { headers, signal }: Pick<WireRequest, 'headers' | 'signal'>): Promise<string> {
    if (!path.startsWith('/api/') || OWN.some((own) => path.startsWith(own))) return path;
    this.#id ??= await this.#find({ ...headers }, signal);
    return `/api/machines/${this.#id}/${path.slice('/api/'.length)}`;
  }

  async #find(headers: Record<string, string>, signal: AbortSignal | undefined): Promise<string> {
    const { authorization } = headers;
    const answer = await this.#inner.send({
      ...{ method: 'GET', path: '/api/fleet/machines', signal },
      headers: authorization === undefined ? {} : { authorization },
    });
    const text = await textOf(answer);
    if (answer.status !== 200) throw failureOf(answer.status, answer.headers, text);
    const { machines } = objectOf<{ machines: Named[] }>(text);
    const byId = machines.filter(({ machineId }) => machineId === this.#machine);
    const found = byId.length > 0 ? byId : machines.filter(({ deviceName }) => deviceName === this.#machine);
    const [only] = found;
    if (only && found.length === 1) return only.machineId;
    const message =
      found.length === 0
        ? `No machine of the fleet is called ${JSON.stringify(this.#machine)}`
        : `${found.length} machines are called ${JSON.stringify(this.#machine)}`;
    const fix = 'auto-terminal fleet machines lists the machines, with their ids';
    throw errorOf({ status: 404, code: 'machine-not-found', message, fix, details: {} });
  }
}

async function* untilRead(body: AsyncIterable<Uint8Array>, release: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    release();
  }
}
