import { AgentLooks } from '#dist/actors/agents/agent-looks.js';
import { AgentWatch } from '#dist/actors/agents/agent-watch.js';
import { RuleBook } from '#dist/actors/agents/rule-book.js';
import type { EngineEvent } from '#dist/actors/events.js';
import type { RunningTerminal } from '#dist/actors/terminal-record.js';
import { DomainError } from '#dist/contract/errors.js';
import { SettingsFile as Settings, type SettingsFile } from '#dist/contract/settings.js';
import { hrMs } from '#dist/workers/clock.js';
import type { Awaited, Met } from '#dist/workers/shard/protocol.js';
import type { ScreenStatus } from '#dist/workers/shard/screen-status.js';
import { eventually } from './processes.js';

/** A made-up terminal. */
interface Shown {
  agent: string | null;
  text: string;
  quietMs?: number;
  typedAt?: number;
  /** Position in the output at which the agent was started; 0 by default. */
  startedAt?: number;
}

interface Made extends Shown {
  position: number;
  hangs: boolean;
}

/** Returns an {@link AgentWatch} on made-up terminals, and records its effects on them. */
export function agentRig() {
  const made = new Map<string, Made>();
  const listeners: Array<(event: EngineEvent) => void> = [];
  const announced: string[] = [];
  const told = new Set<string>();
  const faults: unknown[] = [];
  const looked = new Map<string, number>();
  const wakes = new Set<{ id: string; wake: () => void }>();
  let release: (() => void) | undefined;
  let held: Promise<void> | undefined;
  let settings: SettingsFile['agents'] = {};

  const get = (id: string) => {
    const terminal = made.get(id);
    if (!terminal) throw new DomainError('terminal-not-found');
    return terminal;
  };
  const screenStatusOf = ({ text, position, quietMs = 0 }: Made): ScreenStatus => ({
    rows: text.split('\n'),
    shown: text,
    title: '',
    cursor: '',
    cursorRow: 0,
    position,
    printedAt: hrMs() - quietMs,
    quietMs,
    modes: { bracketedPaste: false, applicationCursor: false, altScreen: false },
  });
  const screens = {
    look: async (id: string) => {
      looked.set(id, (looked.get(id) ?? 0) + 1);
      const terminal = get(id);
      if (terminal.hangs) throw new DomainError('unavailable');
      const look = screenStatusOf(terminal);
      await held;
      return look;
    },
    until: (id: string, awaited: Awaited, _timeoutMs: number, signal: AbortSignal) =>
      new Promise<Met>((resolve, reject) => {
        if (awaited.kind !== 'output') throw new Error(`nobody waits for ${awaited.kind} here`);
        const waiting = { id, wake: () => settle(() => resolve({ position: get(id).position })) };
        const settle = (end: () => void) => {
          wakes.delete(waiting);
          end();
        };
        signal.addEventListener('abort', () => settle(() => reject(signal.reason)));
        wakes.add(waiting);
        if (get(id).position > awaited.after) waiting.wake();
      }),
  };
  const terminals = {
    startOf: (id: string) => ({ ...get(id), exit: null }) as never,
    running: () => [...made].map(([id, { typedAt = null }]) => ({ id, typedAt }) as RunningTerminal),
    subscribe: (listener: (event: EngineEvent) => void) => void listeners.push(listener),
    announce: (event: EngineEvent) => {
      if (event.type === 'agent') announced.push(`${event.id} ${event.agent.agentStatus}`);
    },
  };
  const processes = {
    agents: async (ids?: { has(id: string): boolean }) => {
      return new Map([...made].filter(([id]) => ids?.has(id) ?? true).map(([id, { agent }]) => [id, agent]));
    },
  };
  const looks = new AgentLooks({
    screens,
    size: () => ({ cols: 80, rows: 24 }),
    programStart: (id) => get(id).startedAt ?? 0,
    takesLines: () => false,
    rules: new RuleBook(() => settings),
  });
  const watch = new AgentWatch({
    ...{ terminals, processes, looks, screens },
    settings: () => settings,
    wasTold: (id) => told.has(id),
    pause: () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
    onFault: (error) => void faults.push(error),
  });
  const looksOf = (id: string) => looked.get(id) ?? 0;
  const isPausing = () => release !== undefined || !watch.load.isRunning;

  /** Makes one round over all terminals. */
  async function round(): Promise<void> {
    await eventually('the round before ends', isPausing);
    release?.();
    release = undefined;
    await eventually('the round ends', isPausing);
  }

  /** Makes rounds until the condition holds. */
  async function roundsUntil(what: string, condition: () => boolean): Promise<void> {
    await eventually('the round before ends', isPausing);
    for (let left = 10; !condition(); left--) {
      if (left === 0) throw new Error(`not within ten rounds: ${what}; announced: ${announced}`);
      await round();
    }
  }

  return {
    watch,
    faults,
    /** Ids of the terminals whose agents were already reported to followers. */
    told,
    outputWaits: () => wakes.size,
    terminals: {
      set: (id: string, shown: Shown) => {
        made.set(id, { position: shown.text.length, hangs: false, ...shown });
      },
      /** Prints another screen. */
      show: (id: string, text: string) => {
        const { position, ...rest } = get(id);
        made.set(id, { ...rest, text, quietMs: 0, position: position + 1 });
        for (const waiting of [...wakes]) if (waiting.id === id) waiting.wake();
      },
      hang: (id: string, hangs: boolean) => {
        get(id).hangs = hangs;
      },
      remove: (id: string) => {
        made.delete(id);
        for (const listener of listeners) listener({ type: 'removed', id, reason: 'closed' });
      },
    },
    settings: {
      rules: (agent: string, ...list: object[]) => {
        settings = Settings.parse({ agents: { [agent]: { rules: list } } }).agents;
      },
    },
    events: {
      /** Entries are `<id> <status>`. */
      list: announced,
      until: (event: string, times = 1) =>
        roundsUntil(event, () => announced.filter((each) => each === event).length >= times),
    },
    looks: {
      of: looksOf,
      /**
       * From now on a look reads its screen at once, but returns only after the function that `hold` returns is called.
       */
      hold: () => {
        let letGo = () => {};
        held = new Promise((resolve) => {
          letGo = resolve;
        });
        return () => {
          held = undefined;
          letGo();
        };
      },
      rounds: async (count: number) => {
        for (let left = count; left > 0; left--) await round();
      },
      /** Makes rounds until `work` has settled. */
      until: async <T>(work: Promise<T>): Promise<T> => {
        let isSettled = false;
        const settled = () => {
          isSettled = true;
        };
        work.then(settled, settled);
        await roundsUntil('it settles', () => isSettled);
        return work;
      },
    },
  };
}
export type AgentRig = ReturnType<typeof agentRig>;
