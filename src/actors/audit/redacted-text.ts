import { replaced } from '../../workers/redaction/secret-finder.js';
import type { TypedSecrets } from './audited-input.js';

/**
 * Returns typed text with each secret replaced. A secret that has begun at the end of a text without a line end is
 * replaced, too: the next text may go on with it.
 */
export function redactedText(text: string, secrets: TypedSecrets): string {
  const found = secrets.find(text).map((each) => ({ ...each, marker: secrets.markerOf(text, each) }));
  const cut = /[\r\n]$/.test(text) ? undefined : secrets.cut(text);
  if (cut && found.every(({ end }) => end <= cut.start))
    found.push({ ...cut, marker: `[redacted:${cut.kind}:cut]` });
  return replaced(text, found, ({ marker }) => marker);
}
