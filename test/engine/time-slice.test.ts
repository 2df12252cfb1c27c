import { readdirSync, readFileSync } from 'node:fs';
import { release } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { loadCLibrary } from '#dist/workers/c-library.js';
import { foregroundOf } from '#dist/workers/pty-host/processes/process-tree.js';
import { shortenTimeSlice } from '#dist/workers/time-slice.js';
import { type Api, createApi } from '../support/http.js';
import { eventually, hostPidOf } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

const [major = 0, minor = 0] = release().split('.').map(Number);
/** Whether the kernel keeps slices: versions of Linux before 6.12 accepted the call and kept no slice. */
const KEEPS_SLICES = process.platform === 'linux' && (major > 6 || (major === 6 && minor >= 12));
const SCHED_GETATTR = process.arch === 'x64' ? 315 : 275;
const SHORTEST_NS = 100_000n;
const LONG_NS = 8_000_000n;

let service: Service;
let api: Api;
beforeAll(async () => {
  service = await startService();
  api = createApi(service.url);
});
afterAll(() => service.stop());

/** Returns the nanoseconds that a thread runs before another thread's turn. */
function sliceOf(thread: number): bigint {
  const library = loadCLibrary(process.platform, process.arch);
  if ('missing' in library) throw new Error(library.missing);
  const attr = Buffer.alloc(56);
  const syscall = library.func('long syscall(long number, ...)');
  const args = ['int', thread, 'void *', attr, 'unsigned int', attr.length, 'unsigned int', 0];
  if (syscall(SCHED_GETATTR, ...args) !== 0) throw new Error(`no attributes of ${thread}`);
  return attr.readBigUInt64LE(24);
}

/** Number of threads of a process that have the shortest slice. */
function shortened(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map(Number);
  return threads.filter((thread) => sliceOf(thread) === SHORTEST_NS).length;
}

test.runIf(KEEPS_SLICES)(
  'is short for threads that keys and output pass, and long for programs',
  async () => {
    const { pid } = (await api.post<Terminal>('/api/terminals', { command: ['sh', '-c', 'sleep 99'] })).body;
    expect(sliceOf(service.pid)).toBe(SHORTEST_NS);
    // The main thread and the thread of each shard.
    expect(shortened(service.pid)).toBeGreaterThanOrEqual(2);
    const host = hostPidOf(service.home);
    expect(sliceOf(host)).toBe(SHORTEST_NS);
    expect(shortened(host)).toBe(1);
    expect(sliceOf(pid)).toBe(LONG_NS);
  },
);

test.runIf(KEEPS_SLICES)(
  'is short for a moment for the program that is typed into, and its shell',
  async () => {
    const command = ['bash', '-mc', 'cat; exit'];
    const { id, pid } = (await api.post<Terminal>('/api/terminals', { command })).body;
    const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').map(Number);
    await eventually('cat is in the foreground', () => foregroundOf(pid) === children()[0]);
    const [cat = 0] = children();
    // A program that was being started while the slices were set gets its own a second later.
    const bothHave = (slice: bigint) => [pid, cat].every((each) => sliceOf(each) === slice);
    await eventually('they have a long slice', () => bothHave(LONG_NS));
    await api.post(`/api/terminals/${id}/input`, { data: 'key' });
    await eventually('they have a short slice', () => bothHave(SHORTEST_NS));
    await eventually('they have a long one again', () => bothHave(LONG_NS));
  },
);

test.runIf(process.platform === 'linux')('leaves the nice value, and a process that has ended', () => {
  const niceOf = () => readFileSync('/proc/thread-self/stat', 'utf8').split(') ')[1]!.split(' ')[16];
  const before = niceOf();
  shortenTimeSlice();
  expect(niceOf()).toBe(before);
  shortenTimeSlice(2 ** 22 + 1);
});
