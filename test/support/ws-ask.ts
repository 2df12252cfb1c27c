import type { Frame, Watcher } from './http.js';

/** Sends a message and resolves with the reply to its id, which no other message of this client may have. */
export async function ask(
  watcher: Watcher,
  message: { id: string } & Record<string, unknown>,
): Promise<Frame> {
  const answered = () => watcher.frames.find(({ id }) => id === message.id);
  watcher.send(message);
  await watcher.until(() => answered() !== undefined);
  return answered()!;
}
