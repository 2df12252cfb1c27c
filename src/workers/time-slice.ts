import { constants, getPriority } from 'node:os';
import { loadCLibrary } from './c-library.js';

/** The shortest slice that Linux accepts, in nanoseconds. */
const SHORTEST_NS = 100_000n;

/**
 * Two ticks of a kernel with 250 ticks a second. Only a tick stops a busy program: with the default slice of 1.4 ms or
 * less the program overruns its slice, and the other busy programs, which are then behind, run before a thread that
 * wakes up.
 */
const LONG_NS = 8_000_000n;

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
/** The same flag in the result of sched_getscheduler(2), beside the policy. */
const SCHED_RESET_ON_FORK = 0x4000_0000;

/**
 * Asks Linux for the shortest time slice for a thread: since 6.12 a thread that wakes up preempts a running thread with
 * a longer slice, instead of waiting for the end of that slice. The thread's share of the processors stays the same. A
 * keystroke wakes five threads one after the other, so beside busy programs their waits add up.
 *
 * Does nothing under an unusual scheduling policy, for a thread with a negative nice value, and where the system
 * refuses: the default slice costs time and nothing else.
 *
 * @param thread - id of a thread, or pid for a process' first thread; the calling thread when absent
 */
export function shortenTimeSlice(thread = 0): void {
  setTimeSlice(thread, SHORTEST_NS, SCHED_FLAG_RESET_ON_FORK);
}

/**
 * Gives the first thread of a process, and the programs that it starts from now on, a long time slice on Linux. A
 * program that never sleeps then switches less often with others like it, and threads that wake up among them run
 * sooner.
 */
export function lengthenTimeSlice(pid: number): void {
  // Only root may take the flag back from a program that had the shortest slice.
  if (!setTimeSlice(pid, LONG_NS, 0n)) setTimeSlice(pid, LONG_NS, SCHED_FLAG_RESET_ON_FORK);
}

/** Sets the time slice of a thread. Returns whether the system has accepted it. */
function setTimeSlice(thread: number, sliceNs: bigint, flags: bigint): boolean {
  const number = SCHED_SETATTR[process.arch];
  calls ??= systemCalls();
  if (number === undefined || !calls) return false;
  if ((calls.policyOf(thread) & ~SCHED_RESET_ON_FORK) !== SCHED_OTHER) return false;
  const nice = niceOf(thread);
  // The reset flag would take this value from the programs that the thread starts.
  if (nice < 0) return false;
  const attr = Buffer.alloc(ATTR_BYTES);
  attr.writeUInt32LE(ATTR_BYTES, 0);
  attr.writeUInt32LE(SCHED_OTHER, POLICY_AT);
  attr.writeBigUInt64LE(flags, FLAGS_AT);
  attr.writeInt32LE(nice, NICE_AT);
  attr.writeBigUInt64LE(sliceNs, RUNTIME_AT);
  return calls.syscall(number, 'int', thread, 'void *', attr, 'unsigned int', 0) === 0;
}

interface SystemCalls {
  policyOf: (thread: number) => number;
  syscall: (number: number, ...typesAndValues: unknown[]) => number;
}

let calls: SystemCalls | undefined;

function systemCalls(): SystemCalls | undefined {
  const library = loadCLibrary(process.platform, process.arch);
  if ('missing' in library) return undefined;
  return {
    policyOf: library.func('int sched_getscheduler(int pid)'),
    syscall: library.func('long syscall(long number, ...)'),
  };
}

/** Returns the present nice value, which the call sets along with the slice. */
function niceOf(thread: number): number {
  try {
    return getPriority(thread);
  } catch {
    // The process has ended meanwhile, and nothing will be set.
    return constants.priority.PRIORITY_NORMAL;
  }
}
