import type { Attachment } from '#dist/contract/attach.js';
import { type Frame, type Watcher, watch } from './http.js';
import { ask } from './ws-ask.js';

/** A client of the WebSocket, and its commands. */
export class AttachClient {
  readonly watcher: Watcher;
  #asked = 0;

  private constructor(watcher: Watcher) {
    this.watcher = watcher;
  }

  static async open(url: string, query = 'output=0'): Promise<AttachClient> {
    return new AttachClient(await watch(url, query));
  }

  command(action: string, terminalId: string, rest: object = {}): Promise<Frame> {
    const id = `${++this.#asked}`;
    return ask(this.watcher, { id, type: 'command', payload: { action, terminalId, ...rest } });
  }

  async attach(terminalId: string, rest: object): Promise<Attachment> {
    const { success, data, error } = await this.command('terminal:attach', terminalId, rest);
    if (!success) throw new Error(error);
    return data as unknown as Attachment;
  }

  type(terminalId: string, data = 'x'): Promise<Frame> {
    return this.command('terminal:input', terminalId, { data });
  }

  /** The events of a terminal, without output. */
  events(terminalId: string): { type: string; data: Record<string, unknown> }[] {
    return this.watcher.frames.flatMap(({ event }) =>
      event?.terminalId === terminalId && event.type !== 'output.data'
        ? [{ type: event.type, data: event.data }]
        : [],
    );
  }
}
