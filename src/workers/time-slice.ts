import { constants, getPriority } from 'node:os';
import { loadCLibrary } from './c-library.js';

/** The shortest that Linux takes. */
const SLICE_NS = 100_000n;

/** sched_setattr(2): its number, by architecture, and a `struct sched_attr` without its newer fields. */
const SCHED_SETATTR: Readonly<Record<string, number>> = { x64: 314, arm64: 274 };
const ATTR_BYTES = 48;
const POLICY_AT = 4;
const FLAGS_AT = 8;
const NICE_AT = 16;
const RUNTIME_AT = 24;

const SCHED_OTHER = 0;
/** Threads and programs that the thread starts get the kernel's default again. */
const SCHED_FLAG_RESET_ON_FORK = 1n;

/**
 * Asks Linux for the shortest time slice for a thread: since 6.12 a thread that wakes up preempts a running one with a
 * longer slice, where it would wait for the end of that slice otherwise. The thread's share of the processors is what it
 * was. A keystroke wakes five threads one after the other, so beside busy programs their waits add up.
 *
 * Does nothing under another scheduling policy than the usual one, and where the system does not take it: the default
 * slice costs time and nothing else.
 *
 * @param thread - id of a thread, or pid for a process' first thread; the calling thread when absent
 */
export function shortenTimeSlice(thread = 0): void {
  const number = SCHED_SETATTR[process.arch];
  const library = loadCLibrary(process.platform, process.arch);
  if (number === undefined || 'missing' in library) return;
  const scheduler = library.func('int sched_getscheduler(int pid)');
  if (scheduler(thread) !== SCHED_OTHER) return;
  const attr = Buffer.alloc(ATTR_BYTES);
  attr.writeUInt32LE(ATTR_BYTES, 0);
  attr.writeUInt32LE(SCHED_OTHER, POLICY_AT);
  attr.writeBigUInt64LE(SCHED_FLAG_RESET_ON_FORK, FLAGS_AT);
  attr.writeInt32LE(niceOf(thread), NICE_AT);
  attr.writeBigUInt64LE(SLICE_NS, RUNTIME_AT);
  library.func('long syscall(long number, ...)')(number, 'int', thread, 'void *', attr, 'unsigned int', 0);
}

/** The present nice value: the call sets it along with the slice. */
function niceOf(thread: number): number {
  try {
    return getPriority(thread);
  } catch {
    // The process has ended meanwhile, and nothing will be set.
    return constants.priority.PRIORITY_NORMAL;
  }
}
