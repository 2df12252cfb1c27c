import { setTimeout } from 'node:timers/promises';
import { hrMs } from '../../clock.js';
import { isRunning } from './process-tree.js';

const LOOK_MS = 5;

/** Resolves once a process has ended, at the latest after `deadlineMs` milliseconds. */
export async function hasEnded(pid: number, deadlineMs: number): Promise<void> {
  const deadline = hrMs() + deadlineMs;
  while (isRunning(pid) && hrMs() < deadline) await setTimeout(LOOK_MS);
}
