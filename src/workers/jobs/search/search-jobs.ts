import { BlockReader } from '../../../store/search/block-reader.js';
import { type ScanRequest, type ScanResult, scanBlocks } from './scan.js';
import { type SuggestRequest, type SuggestResult, suggestWords } from './suggest.js';

/** Of this thread: the index stays open for as long as the thread lives. */
const reader = new BlockReader();

/** Searches a stretch of the index. */
export function scanSearchIndex(request: ScanRequest): ScanResult {
  return scanBlocks(reader, request);
}

/** Collects words of a stretch of the index. */
export function suggestFromSearchIndex(request: SuggestRequest): SuggestResult {
  return suggestWords(reader, request);
}
