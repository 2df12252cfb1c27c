import { randomBytes } from 'node:crypto';
import type { LeafPane } from '../../contract/layout.js';

/** Returns `pn-` and 9 random characters of [0-9a-f]. */
export function newPaneId(): string {
  return `pn-${randomBytes(5).toString('hex').slice(0, 9)}`;
}

export function newLeaf(terminalId: string): LeafPane {
  return { type: 'leaf', id: newPaneId(), terminalId };
}
