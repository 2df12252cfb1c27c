import { TYPE_AHEAD_MS, UNTOLD_END_MS } from '../../contract/limits.js';
import { untilForeground } from '../waits/quiet.js';
import { type Scope, within } from '../waits/scope.js';
import { retryAcrossShardRestart } from '../waits/shard-restart.js';
import { shellState } from '../waits/shell-rest.js';
import { ShellWatch } from '../waits/shell-watch.js';
import { CTRL_C, enter, interruptOwn, placeOf, type RunParts, type RunRequest } from './typed.js';

/**
 * Resolves once an integrated shell has read the submitted text, and neither runs anything nor shows its prompt: it
 * wants more of the command.
 *
 * @param after - position in the output; the shell must have printed something after it, at least the echo
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
      if (await watch.changed(isReady ? UNTOLD_END_MS : undefined)) continue;
      const { position, modes } = await placeOf(parts, id, scope.signal);
      // While one line of several runs, bracketed paste with only the shell in the foreground means that the shell
      // edits the next line.
      const mayBe = position > after && (running === null || atPrompt || modes.bracketedPaste);
      const next = await within(scope.signal, (signal) => {
        const limits = { signal, leftMs: scope.leftMs };
        return Promise.race([
          mayBe
            ? untilForeground(parts, id, UNTOLD_END_MS, limits)
            : untilPrinted(parts, id, position, limits),
          watch.changed(),
        ]);
      });
      if (next === 'foreground') return;
    }
  } finally {
    watch.close();
  }
}

async function untilPrinted(
  { screens }: RunParts,
  id: string,
  after: number,
  { signal, leftMs }: Pick<Scope, 'signal' | 'leftMs'>,
): Promise<void> {
  await retryAcrossShardRestart(signal, () => screens.until(id, { kind: 'output', after }, leftMs, signal));
}

/**
 * Types Ctrl+C so that the shell drops input that it has not taken yet; otherwise the next command would be typed
 * behind it. Gives the shell TYPE_AHEAD_MS to react.
 *
 * @param isOwn - the run itself has typed what is dropped; what others have typed is dropped only if the gate lets it, and
 *   may throw {@link Overtaken}
 */
export async function interrupt(parts: RunParts, request: RunRequest, isOwn: boolean): Promise<void> {
  const watch = new ShellWatch(parts.commands, request.id, new AbortController().signal);
  try {
    if (isOwn) await interruptOwn(parts, request);
    else await interruptOthers(parts, request);
    await watch.changed(TYPE_AHEAD_MS);
  } finally {
    watch.close();
  }
}

/** Throws {@link Overtaken}: the Ctrl+C must not end what others have started while it waited at the input gate. */
async function interruptOthers(parts: RunParts, request: RunRequest): Promise<void> {
  const { id, origin } = request;
  const { terminals, commands } = parts;
  const { submittedAt } = terminals.startOf(id);
  const { isContinued } = commands.shellStatus(id);
  const isStillReady = () =>
    terminals.startOf(id).submittedAt === submittedAt && commands.shellStatus(id).isContinued === isContinued;
  const ask = { ...request.ask, ifAgent: undefined };
  const hold = await enter(parts, { ...request, ask, isStillReady });
  try {
    await terminals.type(id, [{ data: CTRL_C }], origin, { ask: { ...ask, hold } });
  } finally {
    hold.release();
  }
}
