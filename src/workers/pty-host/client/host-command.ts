// How a pty host is started. The command line reads this file, too, and so it imports nothing.

/** The systemd unit of the pty host, where `auto-terminal service install` has installed one. */
export const HOST_UNIT = 'auto-terminal-host.service';

/**
 * Keep the process small, since a fork is slower the more memory it has to share. Bytes read from PTYs count as memory
 * outside the heap, and for each 64 MiB of them V8 would mark the heap in the background, for a tenth of a second.
 */
const NODE_FLAGS = ['--max-semi-space-size=2', '--no-incremental-marking'];

export interface HostPlaces {
  socketPath: string;
  /** Folder on a disk, in which the host opens an unnamed file and keeps its ledger. */
  spillFolder: string;
}

/** Returns the arguments of Node for the program of the pty host, whose compiled main.js is `entry`. */
export function hostProgram(entry: string): string[] {
  return [...NODE_FLAGS, entry];
}

/** The same, with the places of a host that is started. */
export function hostArguments(entry: string, { socketPath, spillFolder }: HostPlaces): string[] {
  return [...hostProgram(entry), '--socket', socketPath, '--spill-folder', spillFolder];
}
