import { move, transferableSymbol, valueSymbol } from 'piscina';
import { BlockReader } from '../../../store/search/block-reader.js';
import { type ScanRequest, type ScanResult, scanBlocks } from './scan.js';
import { type SuggestRequest, type SuggestResult, suggestWords } from './suggest.js';

/** Of this thread: the index stays open for as long as the thread lives. */
const reader = new BlockReader();

/** Searches a stretch of the index. The hits are moved to the thread that asked, not copied. */
export function scanSearchIndex(request: ScanRequest): ScanResult {
  const result = scanBlocks(reader, request);
  const moved = { [transferableSymbol]: [result.hits.buffer], [valueSymbol]: result };
  // What piscina unwraps on the way.
  return move(moved as unknown as ArrayBuffer) as unknown as ScanResult;
}

/** Collects words of a stretch of the index. */
export function suggestFromSearchIndex(request: SuggestRequest): SuggestResult {
  return suggestWords(reader, request);
}

/** Lets go of an index that another has taken the place of, so that its deleted file takes no room any more. */
export async function releaseSearchIndex({ current }: { current: string }): Promise<void> {
  await reader.release(current);
}
