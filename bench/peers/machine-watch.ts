// Measures how busy the machine is, in a process of its own: a look takes long with thousands of processes.
// argv: the mark of the run's processes, the pid of the bench.
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { allPids, isMarked } from '../support/own-processes.js';
import { OwnTime, type Seen } from '../support/own-time.js';
import { answerCalls } from '../support/peer-calls.js';

/** How busy the machine was; shares are of the processor time of all cores. */
export interface MachineLoad {
  cores: number;
  /** Load averages of 1, 5 and 15 minutes, at the end. */
  load: number[];
  busy: number;
  /** Used by processes outside the run. */
  others: number;
  /** Taken by the hypervisor for other machines. */
  steal: number;
}

/** Share of a core that looks may take: the longer a look takes, the longer the pause after it. */
const LOOK_SHARE = 0.005;
const LEAST_PAUSE_MS = 500;

const [mark = '', rootPid = ''] = process.argv.slice(2);
const root = Number(rootPid);
const ownTime = new OwnTime();
/** For each process of the machine, whether it belongs to the run: this is read only once for a process. */
let known = new Map<number, boolean>();

/** Ticks since the machine's start. */
interface Ticks {
  total: number;
  /** Of processes and interrupts. */
  busy: number;
  processes: number;
  steal: number;
  own: number;
}

let timer: NodeJS.Timeout | undefined;
let begin = look();

function look(): Ticks {
  const startedAt = performance.now();
  const belongs = new Map<number, boolean>();
  const own: Seen[] = [];
  for (const pid of allPids()) {
    if (known.get(pid) === false) {
      belongs.set(pid, false);
      continue;
    }
    const seen = see(pid);
    if (!seen) continue;
    const isOwn = known.get(pid) ?? (pid === root || belongs.get(seen.parent) || isMarked(pid, mark));
    belongs.set(pid, isOwn);
    if (isOwn) own.push(seen);
  }
  known = belongs;
  setTimer(Math.max(LEAST_PAUSE_MS, (performance.now() - startedAt) / LOOK_SHARE));
  return { ...machineTicks(), own: ownTime.take(own) };
}

function setTimer(ms: number): void {
  clearTimeout(timer);
  timer = setTimeout(look, ms);
}

function see(pid: number): Seen | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // Fields after the name; the first of them is the state, which is the third field in proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [parent, session, terminal] = [fields[1], fields[3], fields[4]].map(Number);
  const time = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  return { pid, parent: parent!, isDaemon: session === pid && terminal === 0, time };
}

function machineTicks(): Omit<Ticks, 'own'> {
  const line = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!;
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
  const [user, nice, system, idle, iowait, irq, softirq, steal = 0] = ticks as [
    ...[number, number, number, number, number, number, number],
    number?,
  ];
  const processes = user + nice + system;
  const busy = processes + irq + softirq;
  return { busy, processes, steal, total: busy + idle + iowait + steal };
}

const calls = {
  begin(): void {
    begin = look();
  },

  /** Returns how busy the machine was since `begin`. */
  end(): MachineLoad {
    const end = look();
    const share = (ticks: number) => Math.max(0, ticks / (end.total - begin.total));
    return {
      cores: cpus().length,
      load: loadavg(),
      busy: share(end.busy - begin.busy),
      others: share(end.processes - begin.processes - (end.own - begin.own)),
      steal: share(end.steal - begin.steal),
    };
  },
};

export type MachineWatchCalls = typeof calls;
answerCalls(calls);
