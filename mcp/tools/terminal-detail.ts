import type { z } from 'zod';
import { Terminal, TerminalSize } from '../../src/contract/terminal.js';
import { RestRefusal } from '../errors.js';
import type { ToolAnswer, ToolContext } from '../tool.js';
import { fieldLines } from './field-lines.js';
import { terminalFor } from './terminal-id.js';

/** Everything about one terminal. */
export const TerminalDetail = Terminal.extend({
  size: TerminalSize.nullable().describe('null once it has exited'),
});
export type TerminalDetail = z.output<typeof TerminalDetail>;

/**
 * Resolves with everything about a terminal, also about an exited one while it is kept. Rejects as
 * {@link terminalFor}, and with `Terminal not found`.
 */
export async function detailOf(
  terminalId: string,
  context: ToolContext,
): Promise<ToolAnswer<TerminalDetail>> {
  const { path } = terminalFor(terminalId, context);
  const terminal = await context.rest.get(path(), Terminal);
  const detail = { ...terminal, size: await sizeOf(path('/size'), context) };
  return { structured: detail, text: fieldLines(detail) };
}

/** Resolves with the size of a terminal; null if it has exited, also while this is read. */
async function sizeOf(path: string, { rest }: ToolContext): Promise<TerminalSize | null> {
  try {
    return await rest.get(path, TerminalSize);
  } catch (error) {
    if (error instanceof RestRefusal && error.status === 404) return null;
    throw error;
  }
}
