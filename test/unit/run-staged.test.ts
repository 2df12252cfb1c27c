import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CommandChange } from '../../src/actors/commands/commands.js';
import { KeyedMutex } from '../../src/actors/keyed-mutex.js';
import { PROBE_KEY, RUN_KEY } from '../../src/actors/runs/line-keys.js';
import { Part } from '../../src/actors/runs/part.js';
import { newProgress, type Progress } from '../../src/actors/runs/progress.js';
import { RunWatch } from '../../src/actors/runs/run-watch.js';
import { stage } from '../../src/actors/runs/stage.js';
import type { RunParts } from '../../src/actors/runs/typed.js';
import { Scope } from '../../src/actors/waits/scope.js';
import { encodeCursor } from '../../src/workers/shard/read-cursor.js';

afterEach(() => {
  vi.useRealTimers();
});

/**
 * A shell on a full machine that has taken the line. Its mark comes once the pty host has read its output, or, if the
 * processes never come to rest, by itself while they are looked at.
 */
function starvedShell({ rests }: { rests: boolean }) {
  const pressed: string[] = [];
  let tell = (_change: CommandChange) => {};
  const cursor = encodeCursor({ position: 7, row: 0, col: 0, altScreen: false });
  const mark = () => tell({ kind: 'taken', runId: 'run', cursor } as CommandChange);
  const parts = {
    terminals: {
      startOf: () => ({ pid: 1 }),
      enter: async () => ({ check: () => {}, release: () => {} }),
      press: async (_id: string, key: string) => void pressed.push(key),
      readAll: async () => {
        mark();
        return { position: 7, isWhole: true };
      },
      announceTyped: () => {},
    },
    screens: { until: async () => ({}), place: async () => ({ position: 7 }) },
    commands: {
      shellStatus: () => ({ integration: 'bash', isReady: true, atPrompt: true, promptAt: 1 }),
      follow: (_id: string, listener: typeof tell) => {
        tell = listener;
        return () => {};
      },
      ofRun: () => [],
    },
    submissions: { pending: () => 'none' },
    foreground: {
      rests: () => {
        if (rests) return Promise.resolve('rests');
        setImmediate(mark);
        return new Promise(() => {});
      },
    },
    lines: { write: async () => {}, giveUp: () => true },
  } as unknown as RunParts;
  return { parts, pressed };
}

describe('the line of a run', () => {
  it.each([
    ['while the mark that it was taken is under way', true],
    ['once that mark has come, although the shell is still at work', false],
  ])('is not probed for %s', async (_when, rests) => {
    const { parts, pressed } = starvedShell({ rests });
    const request = { id: 'term', runId: 'run', command: 'true', origin: 'api' as const, idleMs: 100 };
    const { signal } = new AbortController();
    const watch = new RunWatch(parts.commands, request, signal);
    const progress = { isTyped: false } as Progress;
    await stage(parts, request, { signal, leftMs: 10_000 } as unknown as Scope, progress, watch);
    watch.close();
    expect(pressed).toEqual([RUN_KEY]);
    expect(pressed).not.toContain(PROBE_KEY);
    expect(progress.isTyped).toBe(true);
  });

  it('is not offered once it was withdrawn', async () => {
    const { parts, pressed } = starvedShell({ rests: true });
    const request = { id: 'term', runId: 'run', command: 'true', origin: 'api' as const, idleMs: 100 };
    const scope = new Scope(10_000, new AbortController().signal);
    scope.end();
    const watch = new RunWatch(parts.commands, request, scope.signal);
    const progress: Progress = { ...newProgress(), offer: 'withdrawn' };
    await expect(stage(parts, request, scope, progress, watch)).rejects.toBe(scope.signal.reason);
    watch.close();
    expect({ pressed, isTyped: progress.isTyped }).toEqual({ pressed: [], isTyped: false });
  });
});

describe('a part that is dropped', () => {
  const dropped = async (offer: Progress['offer'], isWithdrawn: boolean) => {
    const parts = { lines: { giveUp: () => isWithdrawn } } as unknown as RunParts;
    const { signal: stopping } = new AbortController();
    const request = { id: 'term', runId: 'run', command: 'true', origin: 'api' as const, idleMs: 100 };
    const part = new Part(request, 10_000, { parts, turns: new KeyedMutex(), stopping });
    part.progress.offer = offer;
    const isEnded = await part.drop();
    part.release();
    return { isEnded, isTyped: part.progress.isTyped };
  };

  it('ends, unless the shell has taken its line before the mark of that has come', async () => {
    expect(await dropped('none', true)).toEqual({ isEnded: true, isTyped: false });
    expect(await dropped('made', true)).toEqual({ isEnded: true, isTyped: false });
    expect(await dropped('made', false)).toEqual({ isEnded: false, isTyped: true });
  });
});
