import type { z } from 'zod';
import { NotFoundError, type Terminal as TerminalClient } from '../../src/client/index.js';
import { Terminal, TerminalSize } from '../../src/contract/terminal.js';
import { answered } from '../service.js';
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
  const { signal } = context;
  const terminal = terminalFor(terminalId, context);
  const info = await answered(Terminal, terminal.info({ signal }));
  const detail = { ...info, size: await sizeOf(terminal, signal) };
  return { structured: detail, text: fieldLines(detail) };
}

/** Resolves with the size of a terminal; null if it has exited, also while this is read. */
async function sizeOf(terminal: TerminalClient, signal: AbortSignal): Promise<TerminalSize | null> {
  try {
    return await answered(TerminalSize, terminal.size({ signal }));
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
