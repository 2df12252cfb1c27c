import { Admission } from '#dist/actors/admission/admission.js';
import type { Place } from '#dist/actors/admission/waiter.js';
import type { LimitSettings } from '#dist/contract/limit-settings.js';

type LabelNames = readonly string[];

/** A creation as the model knows it: it waits, starts, runs, or is over. */
interface Creation {
  id: string;
  names: LabelNames;
  priority: number;
  /** Rank of its arrival. */
  rank: number;
  queueMs: number | undefined;
  state: 'waiting' | 'starting' | 'running' | 'over';
  place?: Place;
  error?: unknown;
  client: AbortController;
  /** How often its promise has settled. */
  settled: number;
}

/** Memory figures that the kernel would report. */
interface FakeMemory {
  availableBytes: number | null;
  pressure: number | null;
}

/**
 * The rules that an admission must keep, stated without its algorithm: the model evaluates, by search, definitions over
 * all creations that wait and run.
 */
export class AdmissionModel {
  readonly creations: Creation[] = [];
  settings: LimitSettings = {};
  memory: FakeMemory = { availableBytes: 1_000, pressure: 0 };
  lastAdmission = Number.NEGATIVE_INFINITY;
  faults: string[] = [];

  /** Asks for a creation and records its outcome. Checks each admission as it happens. */
  ask(admission: Admission, asked: Pick<Creation, 'names' | 'priority' | 'queueMs'>): Creation {
    const rank = this.creations.length;
    const creation: Creation = {
      ...{ ...asked, id: `term_${rank}`, rank, state: 'waiting', client: new AbortController(), settled: 0 },
    };
    this.creations.push(creation);
    const labels = Object.fromEntries(asked.names.map((name) => [name, '1']));
    const rest = { name: null, mode: 'api', caller: null } as const;
    admission.admit({ ...rest, terminalId: creation.id, labels, ...asked }, creation.client.signal).then(
      (place) => this.#admitted(creation, place),
      (error: unknown) => {
        creation.settled++;
        Object.assign(creation, { state: 'over', error });
      },
    );
    return creation;
  }

  /**
   * Leaves it unknown whether the creation's program started: the creation counts for a minute, unless its terminal is
   * listed sooner.
   */
  unknown(creation: Creation): void {
    setTimeout(() => {
      if (creation.state === 'starting') creation.state = 'over';
    }, 60_000);
    creation.place?.freeLater();
  }

  in(...states: Creation['state'][]): Creation[] {
    return this.creations.filter(({ state }) => states.includes(state));
  }

  /** Labels of the running terminals, as the registry would return them. */
  running(): Record<string, string>[] {
    return this.in('running').map(({ names }) => Object.fromEntries(names.map((name) => [name, '1'])));
  }

  isListed(id: string): boolean {
    return this.in('running').some((creation) => creation.id === id);
  }

  /** Checks the rules that hold once everything has come to rest. */
  checkAtRest(now: number): void {
    const waiting = this.#line();
    const stuck = waiting.find((creation) => this.#mayBeAdmitted(creation, now));
    if (stuck) this.faults.push(`${stuck.id} waits for nothing`);
    for (const { id, settled, state } of this.creations)
      if (settled > 1 || (settled === 0) !== (state === 'waiting'))
        this.faults.push(`${id} settled ${settled} times`);
    const impatient = waiting.find(({ queueMs }) => queueMs === undefined);
    if (impatient && !this.#isPaced()) this.faults.push(`${impatient.id} did not want to wait`);
  }

  #admitted(creation: Creation, place: Place): void {
    const ahead = this.#line().filter((other) => isBefore(other, creation));
    for (const other of ahead) {
      if (this.#shares(other, creation)) this.faults.push(`${creation.id} overtakes ${other.id} in a label`);
      if (!this.#isHeld(other)) this.faults.push(`${creation.id} overtakes ${other.id}`);
    }
    creation.settled++;
    Object.assign(creation, { state: 'starting', place });
    for (const { what, used, max } of this.#limits(creation))
      if (used > max) this.faults.push(`${creation.id} makes ${used} of ${max} for ${what}`);
    const now = performance.now();
    if (this.#isMemoryShort()) this.faults.push(`${creation.id} is admitted without memory`);
    if (this.#isPaced() && now - this.lastAdmission < 250) this.faults.push(`${creation.id} comes too soon`);
    if (this.#isPaced()) this.lastAdmission = now;
  }

  #line(): Creation[] {
    return this.in('waiting').sort((one, other) => (isBefore(one, other) ? -1 : 1));
  }

  /** The limits that apply to a creation, each with the number of creations that start or run under it. */
  #limits({ names }: Creation): { what: string; used: number; max: number }[] {
    const taken = this.in('starting', 'running');
    const { maxTerminals, perLabel = [] } = this.settings;
    const own = perLabel.filter(({ selector }) => names.includes(nameOf(selector)));
    return [
      ...(maxTerminals === undefined ? [] : [{ what: 'all', used: taken.length, max: maxTerminals }]),
      ...own.map(({ selector, max }) => {
        const used = taken.filter((other) => other.names.includes(nameOf(selector))).length;
        return { what: selector, used, max };
      }),
    ];
  }

  #shares(one: Creation, other: Creation): boolean {
    const { perLabel = [] } = this.settings;
    return perLabel.some(({ selector }) =>
      [one, other].every(({ names }) => names.includes(nameOf(selector))),
    );
  }

  /**
   * Whether a label holds the creation back: the label is full, or an earlier waiting creation that shares a label with
   * it is held back.
   */
  #isHeld(creation: Creation): boolean {
    const isFull = this.#limits(creation).some(({ what, used, max }) => what !== 'all' && used >= max);
    const before = this.#line().filter((other) => isBefore(other, creation));
    return isFull || before.some((other) => this.#shares(other, creation) && this.#isHeld(other));
  }

  #mayBeAdmitted(creation: Creation, now: number): boolean {
    const hasRoom = this.#limits(creation).every(({ used, max }) => used < max);
    // The timer of the admission may fire a little late.
    const isTurn = !this.#isPaced() || now - this.lastAdmission >= 252;
    return hasRoom && isTurn && !this.#isMemoryShort() && !this.#isHeld(creation);
  }

  #isMemoryShort(): boolean {
    const { minAvailableMemory = 0, maxMemoryPressure = 100 } = this.settings;
    const { availableBytes, pressure } = this.memory;
    return (availableBytes ?? 1e9) < minAvailableMemory || (pressure ?? 0) > maxMemoryPressure;
  }

  #isPaced(): boolean {
    const { minAvailableMemory, maxMemoryPressure } = this.settings;
    const { availableBytes, pressure } = this.memory;
    return (
      (minAvailableMemory !== undefined && availableBytes !== null) ||
      (maxMemoryPressure !== undefined && pressure !== null)
    );
  }
}

function isBefore(one: Creation, other: Creation): boolean {
  return one.priority > other.priority || (one.priority === other.priority && one.rank < other.rank);
}

const nameOf = (selector: string) => selector.split('=')[0]!;

/** Returns an admission and the model that checks its rules. */
export function admissionRig(settings: LimitSettings = {}) {
  const model = new AdmissionModel();
  model.settings = settings;
  const admission = new Admission({
    settings: () => model.settings,
    memory: { read: () => model.memory },
    running: () => model.running(),
    isListed: (id) => model.isListed(id),
  });
  return { model, admission };
}
