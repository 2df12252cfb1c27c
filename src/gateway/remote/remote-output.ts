import { DomainError } from '../../contract/errors.js';
import { LIVE } from '../../fleet/streams/live-wire.js';
import type { StreamsOut } from '../../fleet/streams/streams-out.js';
import { FreeMemory } from '../../workers/free-memory.js';
import type { FrameVariant, Interest } from '../../workers/shard/protocol.js';
import type { FanOut, OutputSource } from '../ws/fan-out.js';
import type { StreamClient } from '../ws/stream-client.js';
import { framesOf } from './remote-frame.js';
import { RemoteTerminal } from './remote-terminal.js';

export interface RemoteOutputOptions {
  machineId: string;
  streams: Pick<StreamsOut, 'open'>;
  /** The fan-out that this source feeds. */
  fanOut: () => FanOut;
  /** Returns whether an event of a terminal is about this client. */
  isConcerned: (client: StreamClient, event: RemoteEvent) => boolean;
  /** Called when another stream of a terminal has begun, before its first wish is sent. */
  onBegunAnew: (id: string) => void;
  /** Called when a terminal is no longer watched, or can no longer be. */
  onEnded: (id: string) => void;
}

/** An event of a terminal, as the owner has written it. */
export interface RemoteEvent {
  type: string;
  terminalId: string;
  data: Record<string, unknown>;
}

/** The output of another machine's terminals, as far as at least one client here watches them. */
export class RemoteOutput implements OutputSource {
  readonly #options: RemoteOutputOptions;
  readonly #memory = new FreeMemory();
  readonly #terminals = new Map<string, RemoteTerminal>();
  /** Last events of the terminals that are over. */
  readonly #ended = new Map<string, string>();
  #interest: ReadonlyMap<string, readonly FrameVariant[]> = new Map();
  /** The terminal whose screen comes now, for all of its watchers. */
  #resetting: string | undefined;

  constructor(options: RemoteOutputOptions) {
    this.#options = options;
  }

  /** Resolves once each terminal is watched, or cannot be. */
  async watch({ terminals }: Interest): Promise<void> {
    this.#interest = terminals;
    for (const [id, terminal] of this.#terminals) {
      if (terminals.has(id) && !terminal.isOver) continue;
      this.#terminals.delete(id);
      this.#ended.delete(id);
      terminal.close();
      this.#options.onEnded(id);
      // A screen that was asked for never comes now, and must not be waited for when the terminal is watched again.
      if (!terminals.has(id)) this.#options.fanOut().deliver({ type: 'interrupted', id });
    }
    for (const id of terminals.keys()) if (!this.#terminals.has(id)) this.#terminals.set(id, this.#open(id));
    await Promise.all([...this.#terminals.values()].map(({ opened }) => opened));
  }

  async resync(id: string): Promise<void> {
    if (id === this.#resetting) return;
    const terminal = this.find(id);
    if (!terminal) throw new DomainError('terminal-not-found');
    terminal.ask();
  }

  list(): { id: string }[] {
    return [...this.#terminals].flatMap(([id, { isOver }]) => (isOver ? [] : [{ id }]));
  }

  /** Returns a watched terminal; undefined for a terminal that no client watches, or that cannot be watched. */
  find(id: string): RemoteTerminal | undefined {
    const terminal = this.#terminals.get(id);
    return terminal?.isOver ? undefined : terminal;
  }

  ended(id: string): string | undefined {
    return this.#ended.get(id);
  }

  #open(terminalId: string): RemoteTerminal {
    const { machineId, streams, fanOut, onBegunAnew, onEnded } = this.#options;
    return new RemoteTerminal({
      ...{ machineId, terminalId, streams },
      onMessage: (kind, bytes) => this.#onMessage(terminalId, kind, bytes),
      onBegunAnew: () => {
        onBegunAnew(terminalId);
        fanOut().deliver({ type: 'interrupted', id: terminalId });
      },
      onEnded: (data) => {
        onEnded(terminalId);
        const event = { type: 'stream.ended', terminalId, data };
        const message = JSON.stringify({ type: 'event', event, timestamp: new Date().toISOString() });
        this.#ended.set(terminalId, message);
        fanOut().finish(terminalId, message);
      },
    });
  }

  #onMessage(id: string, kind: number, bytes: Uint8Array<ArrayBuffer>): void {
    if (kind === LIVE.event) this.#onEvent(id, bytes);
    else this.#onFrame(id, kind, bytes);
  }

  #onFrame(id: string, kind: number, bytes: Uint8Array<ArrayBuffer>): void {
    const fanOut = this.#options.fanOut();
    const frames = framesOf(id, bytes, this.#interest.get(id) ?? []);
    // The frames are copies. The buffer holds only the message and one byte before it.
    this.#memory.free(bytes.buffer);
    // The seal proves that this comes from the owner, so nothing else from the owner can be trusted.
    if (!frames) this.#terminals.get(id)?.fail('The other machine has sent what is no output');
    else if (kind === LIVE.output) fanOut.frame({ type: 'output', id, ...frames });
    else {
      if (kind === LIVE.reset) {
        this.#resetting = id;
        fanOut.deliver({ type: 'interrupted', id });
        this.#resetting = undefined;
      }
      fanOut.frame({ type: 'resync', id, ...frames });
    }
  }

  #onEvent(id: string, bytes: Uint8Array): void {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    const event = eventIn(text);
    if (event?.terminalId !== id) {
      this.#terminals.get(id)?.fail('The other machine has sent what is no event');
      return;
    }
    const { fanOut, isConcerned } = this.#options;
    fanOut().pass(id, text, (client) => isConcerned(client, event));
  }
}

function eventIn(text: string): RemoteEvent | undefined {
  try {
    const { event } = JSON.parse(text) as { event?: RemoteEvent };
    const isEvent = typeof event?.type === 'string' && typeof event.data === 'object' && event.data !== null;
    return isEvent ? event : undefined;
  } catch {
    return undefined;
  }
}
