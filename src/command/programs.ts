// Files of this package that are started by their path. Bundled code finds them from this folder.
import { fileURLToPath } from 'node:url';

/** The command itself, which is the service as well. */
export const CLI = fileURLToPath(new URL('../cli.js', import.meta.url));

/** The program of the pty host. */
export const HOST_ENTRY = fileURLToPath(new URL('../workers/pty-host/main.js', import.meta.url));
