import { move, transferableSymbol, valueSymbol } from 'piscina';
import { BlockReader } from '../../../store/search/block-reader.js';
import { type ScanRequest, type ScanResult, scanBlocks } from './scan.js';
import { type SuggestRequest, type SuggestResult, suggestWords } from './suggest.js';

/** The reader of this thread, which keeps the index open for as long as the thread lives. */
const reader = new BlockReader();

/** Searches a range of the index. Hits move to the calling thread without a copy. */
export function scanSearchIndex(request: ScanRequest): ScanResult {
  const result = scanBlocks(reader, request);
  const moved = { [transferableSymbol]: [result.hits.buffer], [valueSymbol]: result };
  // piscina unwraps `moved`, so that the caller gets a ScanResult.
  return move(moved as unknown as ArrayBuffer) as unknown as ScanResult;
}

/** Collects words of a range of the index. */
export function suggestFromSearchIndex(request: SuggestRequest): SuggestResult {
  return suggestWords(reader, request);
}

/** Closes an index that has been replaced by `current`, so that its deleted file frees the disk space. */
export async function releaseSearchIndex({ current }: { current: string }): Promise<void> {
  await reader.release(current);
}
