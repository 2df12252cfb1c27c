import { MAX_TITLE_CHARS } from '../../../contract/limits.js';
import { cutTo } from './mark.js';

/** Control characters, separators of lines, and characters that turn the direction of the text around them. */
const NOT_SHOWN = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Returns a title as text that can be shown anywhere on one line. */
export function titleOf(bytes: Buffer): string {
  return cutTo(bytes.toString('utf8').replace(NOT_SHOWN, ''), MAX_TITLE_CHARS);
}
