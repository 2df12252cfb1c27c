import { once } from 'node:events';
import { WebSocket } from 'ws';

/** An event of the service's stream. */
export interface StreamEvent {
  type: string;
  terminalId: string;
  data: { content?: string };
  /** Present with `seq=1`. */
  seq?: number;
}

export interface Stream {
  send(message: object): void;
  close(): Promise<void>;
}

/** Connects to the service's WebSocket and passes every event on, keeping nothing. */
export function openStream(
  url: string,
  query: string,
  onEvent: (event: StreamEvent) => void,
): Promise<Stream> {
  return openRawStream(url, query, (message) => {
    const event = eventOf(message);
    if (event) onEvent(event);
  });
}

/** Returns the event in a message of the stream; undefined for a reply. */
export function eventOf(message: Buffer): StreamEvent | undefined {
  return (JSON.parse(message.toString()) as { event?: StreamEvent }).event;
}

/**
 * Like {@link openStream}, but passes on unparsed messages: in a flood, a client that parses each message on arrival is
 * too slow.
 */
export async function openRawStream(
  url: string,
  query: string,
  onMessage: (message: Buffer) => void,
): Promise<Stream> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws?${query}`);
  const welcome = once(socket, 'message');
  socket.on('message', onMessage);
  // No message after the welcome is missed.
  await welcome;
  return {
    send: (message) => socket.send(JSON.stringify(message)),
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}
