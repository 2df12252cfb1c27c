import { closeSync } from 'node:fs';
import { isRunning } from '../processes/process-tree.js';
import type { Libc } from '../pty/libc.js';
import { openLastTerminalFile } from '../pty/terminal-file.js';
import type { Pane } from './window.js';

/**
 * Opens the terminal of a pane. Throws if the pane is closed: the system may have given the name of its file to another
 * program's terminal by then. Throws SystemRefusal as {@link openLastTerminalFile} does.
 */
export function openPaneFile({ terminal, leader }: Pane, libc: Libc): number {
  const fd = openLastTerminalFile(terminal, libc);
  // tmux closes a pane only after the end of its first process, so the file was still the pane's.
  if (isRunning(leader)) return fd;
  closeSync(fd);
  throw new Error('its window in tmux was closed');
}
