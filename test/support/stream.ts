import { once } from 'node:events';
import { WebSocket } from 'ws';

/** An event of the service's stream. */
export interface StreamEvent {
  type: string;
  terminalId: string;
  data: { content?: string };
  /** With `seq=1`. */
  seq?: number;
}

export interface Stream {
  send(message: object): void;
  close(): Promise<void>;
}

/** Connects to the service's WebSocket and passes every event on, keeping nothing. */
export async function openStream(
  url: string,
  query: string,
  onEvent: (event: StreamEvent) => void,
): Promise<Stream> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws?${query}`);
  const welcome = once(socket, 'message');
  socket.on('message', (message: Buffer) => {
    const { event } = JSON.parse(message.toString()) as { event?: StreamEvent };
    if (event) onEvent(event);
  });
  // From the welcome on nothing is missed.
  await welcome;
  return {
    send: (message) => socket.send(JSON.stringify(message)),
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}
