import {
  type HeldLimits,
  namesOf,
  noneHeld,
  type TerminalLimits,
} from '../../../contract/terminal-limits.js';
import type { Entry } from './entry.js';
import type { Controller } from './group-files.js';
import type { Groups } from './groups.js';
import { niceFor, type TerminalGroup, weightOf } from './terminal-group.js';

const KiB = 1_024;

/** How a terminal is limited. */
export interface Limited {
  held: HeldLimits;
  /** Its control group, if it has one. */
  group: TerminalGroup | null;
  /** Step of its first process before it becomes the program; null if there is none. */
  entry: Entry | null;
  /** Nice value of its programs. */
  nice: number;
}

/** The parts of a new terminal that concern limits. */
interface Asking {
  id: string;
  limits?: TerminalLimits | undefined;
  nice?: number | undefined;
}

/** Decides how new terminals are limited. */
export class Limiter {
  readonly #groups: Pick<Groups, 'available' | 'make' | 'letGo'>;
  readonly #platform: NodeJS.Platform;

  constructor(groups: Pick<Groups, 'available' | 'make' | 'letGo'>, platform = process.platform) {
    this.#groups = groups;
    this.#platform = platform;
  }

  /**
   * Returns how a terminal is to be limited, null if no limit is asked for. Where it cannot be held by a control group,
   * it is held by limits of single processes, as far as these exist.
   */
  limit({ id, limits = {}, nice = 0 }: Asking): Limited | null {
    if (namesOf(limits).length === 0) return null;
    const available = this.#groups.available();
    if ('missing' in available) return this.#byProcess(limits, nice, available.missing);
    // This limit protects the memory of the whole machine, so the means that can enforce it wins.
    if (limits.memoryBytes !== undefined && !available.has('memory'))
      return this.#byProcess(limits, nice, 'the controller memory is not delegated');
    return this.#byGroup(id, limits, nice, available);
  }

  /** Releases the limits of a terminal whose program is not started. */
  drop(limited: Limited | null): void {
    if (limited?.group) this.#groups.letGo(limited.group);
  }

  #byGroup(id: string, limits: TerminalLimits, nice: number, controllers: ReadonlySet<Controller>): Limited {
    let group: TerminalGroup | null = null;
    try {
      group = this.#groups.make(id);
      const held = group.limit(limits, controllers, nice);
      return { held: withNotHeld(held, limits), group, entry: { group: group.entry }, nice };
    } catch (error) {
      if (group) this.#groups.letGo(group);
      return this.#byProcess(limits, nice, `its control group cannot be made: ${(error as Error).message}`);
    }
  }

  #byProcess(limits: TerminalLimits, nice: number, why: string): Limited {
    const { memoryBytes, cpuWeight } = limits;
    const isLinux = this.#platform === 'linux';
    const dataKiB = memoryBytes !== undefined && isLinux ? Math.floor(memoryBytes / KiB) : null;
    const own = cpuWeight === undefined ? null : niceFor(cpuWeight);
    if (dataKiB === null && own === null)
      return { held: noneHeld(limits, why), group: null, entry: null, nice };
    const held: HeldLimits = {
      by: 'rlimit',
      memoryBytes: dataKiB === null ? null : dataKiB * KiB,
      // RLIMIT_NPROC counts the processes of the user in all terminals and outside, and none of root's.
      pids: null,
      cpuWeight: own === null ? null : weightOf(own),
    };
    const entry = dataKiB === null ? null : { dataKiB };
    return { held: { ...withNotHeld(held, limits), why }, group: null, entry, nice: own ?? nice };
  }
}

function withNotHeld(held: HeldLimits, limits: TerminalLimits): HeldLimits {
  const notHeld = namesOf(limits).filter((name) => held[name] === null);
  return notHeld.length > 0 ? { ...held, notHeld } : held;
}
