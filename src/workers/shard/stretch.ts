import { DomainError } from '../../contract/errors.js';
import { keepEnd } from './keep-end.js';
import type { StretchQuery, StretchText } from './protocol.js';
import { decodeCursor, type PrintSource, startOf } from './reader.js';
import { plainText } from './screen/plain-text.js';
import { renderText, type Segment } from './screen/printed.js';
import { SecretCover } from './secret-cover.js';

/**
 * What was printed between two cursors: the text as the program wrote it where it wrote line after line, else as
 * it was left on the screen. The secret is covered in raw text. Throws `invalid-cursor`.
 */
export async function readStretch(
  { keeper, renders, secret }: PrintSource & { secret: string },
  query: StretchQuery,
): Promise<StretchText> {
  const { from, printed } = await keeper.askPlace((place) => {
    const from = decodeCursor(query.start, place.position);
    const end = query.end === undefined ? place.cursor : decodeCursor(query.end, place.position);
    if (end.position < from.position) throw new DomainError('invalid-cursor');
    return { from, printed: place.history.between(from.position, end.position) };
  });
  const { gap, segments } = printed;
  const whole = query.raw
    ? rawText(segments, secret)
    : (plainText(segments) ?? (await renders.take(() => renderText(segments, startOf(printed, from)))));
  const { text, truncated } = keepEnd(whole, query.maxBytes);
  return { text, truncated: gap || truncated };
}

function rawText(segments: readonly Segment[], secret: string): string {
  const cover = new SecretCover(secret);
  const parts = segments.flatMap((segment) => ('bytes' in segment ? [cover.cover(segment.bytes)] : []));
  return Buffer.concat(parts).toString('utf8');
}
