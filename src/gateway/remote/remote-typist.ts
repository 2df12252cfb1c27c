import { randomBytes } from 'node:crypto';
import { DomainError } from '../../contract/errors.js';
import { MAX_FLEET_REQUEST_BYTES } from '../../contract/limits.js';
import type { MachinesPort } from '../elsewhere.js';
import type { TypedInput } from '../ws/commands.js';
import { requireDone } from './remote-failure.js';

/** Characters of texts that go in one request: as JSON they may take six times as many bytes. */
const MAX_CHARS = Math.floor(MAX_FLEET_REQUEST_BYTES / 8);

/** Time for which a request is sent again while the machine is out of reach, and the pause between two tries. */
const RETRY_MS = 10_000;
const RETRY_PAUSE_MS = 200;

/** Characters that wait for one terminal. */
const MAX_WAITING_CHARS = 1024 * 1024;

interface Waiting {
  data: string;
  /** Everything but the text, as JSON: texts with the same terms go together. */
  terms: string;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Types into terminals of another machine for one client, in order: each request goes once the previous request is
 * answered, with all text that was typed meanwhile. While the machine is out of reach, a request is sent again for some
 * seconds, under the same key, so that nothing is typed twice.
 */
export class RemoteTypist {
  readonly #machines: MachinesPort;
  readonly #machineId: string;
  readonly #left: AbortSignal;
  readonly #waiting = new Map<string, Waiting[]>();

  /** @param left - fires when the client has gone */
  constructor(machines: MachinesPort, machineId: string, left: AbortSignal) {
    this.#machines = machines;
    this.#machineId = machineId;
    this.#left = left;
  }

  /**
   * Resolves once the text is typed, which is never divided: others could type into the middle of it, and a part of it could
   * be refused. Rejects as the routed request does, also for a text that is too large for one, and with input-buffer-full.
   */
  type({ terminalId, data, ...terms }: TypedInput): Promise<void> {
    const waiting = this.#waiting.get(terminalId);
    const chars = (waiting ?? []).reduce((sum, each) => sum + each.data.length, 0);
    if (chars > 0 && chars + data.length > MAX_WAITING_CHARS)
      return Promise.reject(new DomainError('input-buffer-full'));
    return new Promise((resolve, reject) => {
      const next = { data, terms: JSON.stringify(terms), resolve, reject };
      if (waiting) waiting.push(next);
      else {
        const line = [next];
        this.#waiting.set(terminalId, line);
        void this.#run(terminalId, line);
      }
    });
  }

  async #run(terminalId: string, line: Waiting[]): Promise<void> {
    while (line.length > 0) {
      const batch = this.#next(line);
      const data = batch.map((each) => each.data).join('');
      try {
        await this.#send(terminalId, data, batch[0]!.terms);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#waiting.delete(terminalId);
  }

  /** Takes the texts that go together off the line; a long text goes alone. */
  #next(line: Waiting[]): Waiting[] {
    let chars = 0;
    const end = line.findIndex(({ data, terms }, index) => {
      chars += data.length;
      return index > 0 && (terms !== line[0]?.terms || chars > MAX_CHARS);
    });
    return line.splice(0, end === -1 ? line.length : end);
  }

  async #send(terminalId: string, data: string, terms: string): Promise<void> {
    const request = {
      method: 'POST',
      url: `/api/terminals/${encodeURIComponent(terminalId)}/input`,
      key: randomBytes(16).toString('base64url'),
      body: JSON.stringify({ ...(JSON.parse(terms) as object), data }),
    };
    requireDone(await this.#sendAgain(request));
  }

  /** Rejects with the first failure that left open whether the text was typed, if there was one, else with the last. */
  async #sendAgain(request: Parameters<MachinesPort['call']>[1]): ReturnType<MachinesPort['call']> {
    let deadline = performance.now() + RETRY_MS;
    let open: unknown;
    for (;;) {
      try {
        const answer = await this.#machines.call(this.#machineId, request, this.#left);
        if (open === undefined || answer.status !== 403) return answer;
        // A machine that allows it no longer may have typed it before, and would refuse it again.
        deadline = 0;
        throw open;
      } catch (error) {
        const code = error instanceof DomainError ? error.code : undefined;
        if (code === 'fleet-outcome-unknown') open ??= error;
        const mayPass = code === 'fleet-outcome-unknown' || code === 'machine-unreachable';
        if (!mayPass || this.#left.aborted || performance.now() > deadline) throw open ?? error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
      }
    }
  }
}
