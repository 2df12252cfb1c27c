import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, processInfo } from './processes.js';

/** Folder with a file for each service that test files share, named by the service's process id. */
const folder = () => join(process.env.AUTO_TERMINAL_TEST_RUN!, 'shared');

const hasEnded = (pid: number) => processInfo(pid) === undefined;

/** Makes the service with this process id end with the test run: no worker knows which of its files is the last. */
export function noteShared(pid: number): void {
  mkdirSync(folder(), { recursive: true });
  writeFileSync(join(folder(), String(pid)), '');
}

/** Ends the shared services, and resolves once they have ended. */
export async function endShared(): Promise<void> {
  mkdirSync(folder(), { recursive: true });
  const pids = readdirSync(folder())
    .map(Number)
    .filter((pid) => !hasEnded(pid));
  for (const pid of pids) process.kill(pid, 'SIGTERM');
  for (const pid of pids) await eventually(`the shared service ${pid} has ended`, () => hasEnded(pid));
}
