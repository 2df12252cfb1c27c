// Files of this package that are started by their path. Bundled code finds them from this folder.
import { fileURLToPath } from 'node:url';

/** The command itself, which is the service as well. */
export const CLI = fileURLToPath(new URL('../cli.js', import.meta.url));

/**
 * Arguments with which Node starts the service. Its main thread then keeps at most 16 MiB for young objects; V8 would
 * keep 32 with Node 20 and 128 with Node 24 for as long as the thread works. With half as much, many reads at once took longer.
 */
export const SERVICE_FLAGS = ['--max-semi-space-size=8'];

/** The program of the pty host. */
export const HOST_ENTRY = fileURLToPath(new URL('../workers/pty-host/main.js', import.meta.url));
