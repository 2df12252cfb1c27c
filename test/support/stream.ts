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

/** The event in a message of the stream; other messages are replies. */
export function eventOf(message: Buffer): StreamEvent | undefined {
  return (JSON.parse(message.toString()) as { event?: StreamEvent }).event;
}

/** Like {@link openStream}, for a flood: a client that parses each message on arrival is too slow. */
export async function openRawStream(
  url: string,
  query: string,
  onMessage: (message: Buffer) => void,
): Promise<Stream> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws?${query}`);
  const welcome = once(socket, 'message');
  socket.on('message', onMessage);
  // After the welcome nothing is missed.
  await welcome;
  return {
    send: (message) => socket.send(JSON.stringify(message)),
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}
