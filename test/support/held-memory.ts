import { once } from 'node:events';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { Service } from './service.js';

/** NODE_OPTIONS of a service whose memory {@link heldBytes} measures. */
export const COUNTED = '--inspect=127.0.0.1:0';

/** Bytes of a thread that garbage collection cannot free: its heap, and its buffers beside the heap. */
const HELD = 'process.memoryUsage().heapUsed + process.memoryUsage().external';

const Message = z.looseObject({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.looseObject({ sessionId: z.string().optional(), message: z.string().optional() }).optional(),
  result: z.looseObject({ result: z.looseObject({ value: z.unknown() }).optional() }).optional(),
});

type Answer = z.infer<typeof Message>;

/** Sends commands of the inspector's protocol to one thread, and matches each answer to its command. */
class Session {
  readonly #post: (message: string) => void;
  readonly #pending: Array<(answer: Answer | undefined) => void> = [];
  #hasEnded = false;

  constructor(post: (message: string) => void) {
    this.#post = post;
  }

  /** Resolves with the answer to a command, or with undefined if the thread has ended. */
  send(method: string, params = {}): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      if (this.#hasEnded) return resolve(undefined);
      const id = this.#pending.push(resolve) - 1;
      this.#post(JSON.stringify({ id, method, params }));
    });
  }

  take(answer: Answer): void {
    if (answer.id !== undefined) this.#pending[answer.id]?.(answer);
  }

  end(): void {
    this.#hasEnded = true;
    for (const resolve of this.#pending) resolve(undefined);
  }
}

/** Resolves with the bytes that a thread holds after a garbage collection; 0 if the thread has ended. */
async function heldByThread(thread: Session): Promise<number> {
  await thread.send('HeapProfiler.enable');
  // The second collection frees the objects that the finalizers of the first have released.
  for (let turn = 0; turn < 2; turn++) await thread.send('HeapProfiler.collectGarbage');
  const answer = await thread.send('Runtime.evaluate', { expression: HELD, returnByValue: true });
  return answer ? z.number().parse(answer.result?.result?.value) : 0;
}

/**
 * Resolves with the bytes that all threads of the service hold after a garbage collection. Unlike the resident memory,
 * they do not depend on when the last collection was. The service must have been started with {@link COUNTED}.
 */
export async function heldBytes(service: Service): Promise<number> {
  const [url] = /ws:\/\/\S+/.exec(service.log()) ?? [];
  if (url === undefined) throw new Error('the service was not started with --inspect');
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const main = new Session((message) => socket.send(message));
  const workers = new Map<string, Session>();
  socket.on('message', (data) => {
    const message = Message.parse(JSON.parse(String(data)));
    const { sessionId, message: ofWorker } = message.params ?? {};
    if (sessionId === undefined) main.take(message);
    else if (message.method === 'NodeWorker.attachedToWorker')
      workers.set(
        sessionId,
        new Session((command) => {
          void main.send('NodeWorker.sendMessageToWorker', { sessionId, message: command });
        }),
      );
    else if (message.method === 'NodeWorker.detachedFromWorker') workers.get(sessionId)?.end();
    else if (ofWorker !== undefined) workers.get(sessionId)?.take(Message.parse(JSON.parse(ofWorker)));
  });
  try {
    await once(socket, 'open');
    // The answer comes after all threads have been reported.
    await main.send('NodeWorker.enable', { waitForDebuggerOnStart: false });
    const held = await Promise.all([main, ...workers.values()].map(heldByThread));
    return held.reduce((sum, bytes) => sum + bytes, 0);
  } finally {
    socket.close();
    await once(socket, 'close');
  }
}
