import type { OutputPage, Terminal } from '#dist/contract/terminal.js';
import type { WaitAnswer } from '#dist/contract/wait.js';
import type { Answer, Api } from './http.js';
import { eventually } from './processes.js';

/** A request whose answer may take long. */
export interface PendingWait {
  answer: Promise<Answer<WaitAnswer>>;
  isSettled(): boolean;
}

/** Waits through the REST API, and opens terminals to wait for. */
export class WaitClient {
  readonly #api: () => Api;

  /** @param api - called at each use, since the service starts after the tests of a file are gathered */
  constructor(api: () => Api) {
    this.#api = api;
  }

  async open(command: string[], more: object = {}): Promise<string> {
    return (await this.#api().post<Terminal>('/api/terminals', { command, ...more })).body.id;
  }

  /** Opens a terminal whose program prints each typed line once, formatted as by `printf`. Input is not echoed. */
  async printing(more: object = {}): Promise<string> {
    const script = 'stty -echo; echo ready; while IFS= read -r line; do printf "$line"; done';
    const id = await this.open(['sh', '-c', script], more);
    await this.shown(id, 'ready');
    return id;
  }

  async type(id: string, data: string): Promise<void> {
    await this.#api().post(`/api/terminals/${id}/input`, { data });
  }

  /** Resolves once the terminal's lines contain the text. */
  async shown(id: string, text: string): Promise<void> {
    const holds = async () => (await this.output(id, 'lines=100000')).raw.includes(text);
    await eventually(`${id} shows ${text}`, holds);
  }

  async output(id: string, query = ''): Promise<OutputPage> {
    return (await this.#api().get<OutputPage>(`/api/terminals/${id}/output?${query}`)).body;
  }

  async cursor(id: string): Promise<string> {
    return (await this.output(id)).cursor!;
  }

  /** Resolves with the answer, whatever its status. */
  send<Body = WaitAnswer>(id: string, body: object): Promise<Answer<Body>> {
    return this.#api().post<Body>(`/api/terminals/${id}/wait`, body);
  }

  /** Resolves with the answer of a successful wait; rejects for any other answer. */
  async wait(id: string, body: object): Promise<WaitAnswer> {
    const answer = await this.send(id, body);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Resolves once the service has begun the wait; no other wait may begin meanwhile. */
  async begin(id: string, body: object): Promise<PendingWait> {
    const before = await this.count();
    let isSettled = false;
    const answer = this.send(id, body).finally(() => {
      isSettled = true;
    });
    await eventually('the wait has begun', async () => isSettled || (await this.count()) > before);
    return { answer, isSettled: () => isSettled };
  }

  /** Resolves with the number of waits in progress, from the metrics. */
  async count(): Promise<number> {
    const { body } = await this.#api().get<string>('/metrics');
    return Number(/^auto_terminal_waits (\d+)$/m.exec(body)?.[1] ?? Number.NaN);
  }

  async none(): Promise<void> {
    await eventually('nothing waits any more', async () => (await this.count()) === 0);
  }
}
