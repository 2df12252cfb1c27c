import { TYPE_AHEAD_MS, UNTOLD_END_MS } from '../../contract/limits.js';
import { untilForeground } from '../waits/quiet.js';
import type { Scope } from '../waits/scope.js';
import { shellState } from '../waits/shell-rest.js';
import { ShellWatch } from '../waits/shell-watch.js';
import { lookAt, type RunParts, type RunRequest } from './typed.js';

const CTRL_C = '\x03';

/**
 * Resolves once an integrated shell has read what was submitted, and neither runs anything nor shows its prompt: it
 * wants more of it.
 *
 * @param after - position in the output: the shell has printed something since, the echo at least
 */
export async function untilIncomplete(
  parts: RunParts,
  id: string,
  after: number,
  scope: Pick<Scope, 'signal' | 'leftMs'>,
): Promise<void> {
  const watch = new ShellWatch(parts.commands, id, scope.signal);
  try {
    for (;;) {
      const { isReady, running, atPrompt } = shellState(parts, id);
      const mayBe = isReady && (running === null || atPrompt);
      if (await watch.changed(mayBe ? UNTOLD_END_MS : undefined)) continue;
      const { position } = await lookAt(parts, id, scope.signal);
      if (position <= after) continue;
      const rests = untilForeground(parts, id, UNTOLD_END_MS, scope);
      if ((await Promise.race([rests, watch.changed()])) === 'foreground') return;
    }
  } finally {
    watch.close();
  }
}

/** Has a shell forget what it has been given and not taken yet; the next command would be typed behind it. */
export async function takeBack(
  { commands, terminals }: RunParts,
  request: RunRequest,
  scope: Scope,
): Promise<void> {
  const { id, origin } = request;
  const watch = new ShellWatch(commands, id, scope.signal);
  try {
    await terminals.type(id, [{ data: CTRL_C }], origin);
    await watch.changed(TYPE_AHEAD_MS);
  } finally {
    watch.close();
  }
}
