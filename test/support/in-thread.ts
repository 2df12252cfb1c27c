import { Session } from 'node:inspector/promises';

interface Attached {
  sessionId: string;
  workerInfo: { url: string };
}

/**
 * Evaluates an expression in the threads of this process that run a file with this ending, by the debugger: it does what a
 * fault of the thread would do. Resolves once the threads have got it, with their number.
 */
export async function inThreads(file: string, expression: string): Promise<number> {
  const session = new Session();
  session.connect();
  const ids: string[] = [];
  session.on('NodeWorker.attachedToWorker', ({ params }: { params: Attached }) => {
    if (params.workerInfo.url.endsWith(file)) ids.push(params.sessionId);
  });
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } });
  for (const sessionId of ids) await session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
  session.disconnect();
  return ids.length;
}
