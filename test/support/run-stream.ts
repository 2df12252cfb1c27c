import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { type BatchRunAnswer, RunStreamEvent } from '#dist/contract/run.js';
import { DEADLINE_MS } from './deadline.js';
import type { Api } from './http.js';
import { within } from './service.js';

/** Starts a run without waiting for it; resolves with its id. */
export async function startRun(api: Api, terminalIds: string[], command: string, more = {}): Promise<string> {
  const body = { terminalIds, command, waitFor: 0, timeoutMs: 60_000, ...more };
  const answer = await api.post<BatchRunAnswer>('/api/terminals/batch/run', body);
  if (answer.status !== 200) throw new Error(`batch/run answered ${answer.status}`);
  return answer.body.runId;
}

/** A client of the stream of a run. */
export class StreamReader {
  readonly events: RunStreamEvent[] = [];
  /** Resolves once the answer has ended or its connection was cut. */
  readonly closed: Promise<void>;
  readonly #response: IncomingMessage;
  readonly #texts = new Map<string, string>();
  readonly #changed = new Set<() => void>();
  #isClosed = false;

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.on('error', () => {});
    this.closed = new Promise((resolve) => {
      response.once('close', () => {
        this.#isClosed = true;
        for (const check of this.#changed) check();
        resolve();
      });
    });
  }

  /** Begins to read. */
  read(): this {
    const lines = createInterface({ input: this.#response }).on('line', (line) => this.#take(line));
    // The interface emits the errors of its input, too.
    lines.on('error', () => {});
    return this;
  }

  /** Returns the text of a terminal so far. */
  text(terminalId: string): string {
    return this.#texts.get(terminalId) ?? '';
  }

  /** Returns the events of one type. */
  of<Type extends RunStreamEvent['type']>(type: Type): Extract<RunStreamEvent, { type: Type }>[] {
    return this.events.filter(
      (event): event is Extract<RunStreamEvent, { type: Type }> => event.type === type,
    );
  }

  /** Resolves once the condition holds; it is checked after each event and at the end. */
  async until(condition: () => boolean): Promise<void> {
    let check = () => {};
    const holds = new Promise<void>((resolve, reject) => {
      check = () => {
        if (condition()) resolve();
        else if (this.#isClosed) reject(new Error('the stream ended before'));
      };
    });
    this.#changed.add(check);
    check();
    const last = () => `not met; the last events: ${JSON.stringify(this.events.slice(-5)).slice(0, 2_000)}`;
    await within(DEADLINE_MS, holds, last).finally(() => this.#changed.delete(check));
  }

  /** Resolves once the stream has ended with `end`. */
  async end(): Promise<this> {
    await this.until(() => this.events.at(-1)?.type === 'end');
    await this.closed;
    return this;
  }

  /** Closes the connection. */
  leave(): void {
    this.#response.destroy();
  }

  #take(line: string): void {
    const event = RunStreamEvent.parse(JSON.parse(line));
    this.events.push(event);
    if (event.type === 'output') {
      this.#texts.set(event.terminalId, this.text(event.terminalId) + event.text);
    } else if (event.type === 'redrawn') {
      const lines = this.text(event.terminalId).split(/(?<=\n)/);
      expect(lines.length).toBeGreaterThanOrEqual(event.lines);
      this.#texts.set(event.terminalId, lines.slice(0, -event.lines).join(''));
    }
    for (const check of this.#changed) check();
  }
}

/** Connects to the stream of a run; reading begins with `read`. */
export async function connectStream(url: string, runId: string): Promise<StreamReader> {
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, path: `/api/runs/${runId}/stream`, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  sent.on('error', () => {});
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/x-ndjson']);
  return new StreamReader(response);
}

/** Reads the stream of a run. */
export async function readStream(url: string, runId: string): Promise<StreamReader> {
  return (await connectStream(url, runId)).read();
}
