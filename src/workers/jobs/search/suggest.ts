import { MAX_SUGGESTION_CHARS } from '../../../contract/limits.js';
import type { BlockReader } from '../../../store/search/block-reader.js';
import { bitsOf, mayHold } from '../../../store/search/signature.js';
import { documentsWith, type ScanRange } from './scan.js';

/** A character of a word. Includes combining marks, with which some scripts write vowels. */
const WORD = '[\\p{L}\\p{M}\\p{N}_]';
const IS_WORD = new RegExp(`^${WORD}+$`, 'u');

export interface SuggestRequest extends ScanRange {
  /** Case-folded; made of word characters only, as `isWordPrefix` checks. */
  prefix: string;
  limit: number;
}

export interface SuggestResult {
  /** Words in the spelling of the text, each once. */
  words: string[];
  /** Numbers of the blocks that could not be read. */
  damaged: number[];
}

/** Returns whether a word can begin with this text. */
export function isWordPrefix(text: string): boolean {
  return IS_WORD.test(text);
}

/** Returns whole words that begin with the prefix from a range of blocks, newest documents first. */
export function suggestWords(reader: BlockReader, request: SuggestRequest): SuggestResult {
  const { folder, prefix, limit } = request;
  const damaged: number[] = [];
  const words = new Set<string>();
  const needle = Buffer.from(prefix, 'utf8');
  // A prefix of word characters contains nothing that a pattern would interpret.
  const pattern = new RegExp(`(?<!${WORD})${prefix}${WORD}*`, 'gu');
  const bits = bitsOf(needle, []);
  const isWanted = (signature: Uint8Array) => mayHold(signature, bits);
  for (const { number, view } of reader.blocks(folder, request, isWanted, damaged)) {
    for (const index of documentsWith(view, needle, number, damaged)) {
      const { folded, content } = view.content(index);
      for (const { index: start, 0: word } of folded.matchAll(pattern)) {
        if (word.length > MAX_SUGGESTION_CHARS) continue;
        words.add(content.slice(start, start + word.length));
        if (words.size >= limit) return { words: [...words], damaged };
      }
    }
  }
  return { words: [...words], damaged };
}
