import { MAX_SUGGESTION_CHARS } from '../../../contract/limits.js';
import type { BlockReader } from '../../../store/search/block-reader.js';
import { bitsOf, mayHold } from '../../../store/search/signature.js';
import { documentsWith, type ScanRange } from './scan.js';

/** What words are made of: combining marks too, which some scripts write vowels with. */
const WORD = '[\\p{L}\\p{M}\\p{N}_]';
const IS_WORD = new RegExp(`^${WORD}+$`, 'u');

export interface SuggestRequest extends ScanRange {
  /** Folded. */
  prefix: string;
  limit: number;
}

export interface SuggestResult {
  /** Each once, as they stand in the text. */
  words: string[];
  /** Blocks that could not be read. */
  damaged: number[];
}

/** Whether any word can begin with this. */
export function isWordPrefix(text: string): boolean {
  return IS_WORD.test(text);
}

/** Whole words of a stretch of blocks that begin with the prefix, from the newest documents. */
export function suggestWords(reader: BlockReader, request: SuggestRequest): SuggestResult {
  const { folder, prefix, limit } = request;
  const damaged: number[] = [];
  const words = new Set<string>();
  const needle = Buffer.from(prefix, 'utf8');
  // A prefix of word characters holds nothing that a pattern would take for more.
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
