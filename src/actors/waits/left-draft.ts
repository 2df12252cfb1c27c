import { decodeCursor } from '../../workers/shard/read-cursor.js';
import { untilAsleep, untilReported } from './quiet.js';
import type { Scope } from './scope.js';
import type { ShellParts } from './shell-rest.js';

/**
 * Forgets the draft of a terminal if it was typed before the shell's prompt and is not in the shell's line: the program
 * that ran before that prompt has read it, as `less` reads its `q`. What the shell reads moves the cursor away from the
 * end of the prompt. Resolves with whether it was forgotten, once the shell has read everything; rejects with
 * terminal-not-found, and when the scope ends.
 */
export async function forgetsLeftDraft(
  parts: ShellParts,
  id: string,
  scope: Pick<Scope, 'signal' | 'leftMs'>,
): Promise<boolean> {
  const { submissions } = parts;
  const prompt = submissions.promptAfterDraft(id);
  if (prompt === undefined) return false;
  await untilAsleep(parts, id, scope.signal);
  const { cursor } = await untilReported(parts, id, scope);
  const isEmpty = isSamePlace(cursor, prompt) && submissions.promptAfterDraft(id) === prompt;
  if (isEmpty) submissions.forgetDraft(id);
  return isEmpty;
}

function isSamePlace(cursor: string, other: string): boolean {
  const [a, b] = [cursor, other].map((text) => decodeCursor(text, Number.POSITIVE_INFINITY));
  return a?.row === b?.row && a?.col === b?.col && a?.altScreen === b?.altScreen;
}
