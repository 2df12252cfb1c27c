import { describe, expect, test } from 'vitest';
import { TmuxPlaces } from '#dist/actors/tmux/places.js';
import type { Backend } from '#dist/contract/terminal.js';

const HOME = { file: '/usr/bin/tmux', socketName: 'ours' };

function places(backend: Backend, home: typeof HOME | { fault: string }) {
  const warnings: unknown[] = [];
  const settings = { backend };
  const made = new TmuxPlaces({
    detector: { home: async () => home },
    backend: () => settings.backend,
    historyLimit: 500,
    env: () => ({ TMUX_TMPDIR: '/sockets' }),
    logger: { warn: (...words: unknown[]) => void warnings.push(words) } as never,
  });
  return { places: made, settings, warnings };
}

const NONE = { fault: 'tmux was not found on PATH' };

describe('a new terminal', () => {
  test.each<[Backend | undefined, Backend, 'pty' | 'tmux']>([
    [undefined, 'pty', 'pty'],
    [undefined, 'tmux', 'tmux'],
    ['tmux', 'pty', 'tmux'],
    ['pty', 'tmux', 'pty'],
  ])('asked to live on %s while the setting is %s lives on %s', async (asked, setting, expected) => {
    const place = await places(setting, HOME).places.placeFor(asked);
    expect(place === null ? 'pty' : 'tmux').toBe(expected);
    if (!place) return;
    expect(place.tmux).toEqual({ ...HOME, historyLimit: 500 });
    expect(place.attach('term_x')).toBe("env TMUX_TMPDIR='/sockets' tmux -L ours attach -t '=term_x'");
  });

  test('follows the setting of its moment', async () => {
    const { places: made, settings } = places('pty', HOME);
    expect(await made.placeFor(undefined)).toBeNull();
    settings.backend = 'tmux';
    expect(await made.placeFor(undefined)).not.toBeNull();
  });
});

describe('without tmux', () => {
  test('a request for it is refused, with the reason', async () => {
    const { places: made, warnings } = places('tmux', NONE);
    const error = { code: 'tmux-unavailable', message: NONE.fault };
    await expect(made.placeFor('tmux')).rejects.toMatchObject(error);
    expect(warnings).toEqual([]);
  });

  test('the setting alone gives plain PTYs, and one warning', async () => {
    const { places: made, warnings } = places('tmux', NONE);
    expect(await made.placeFor(undefined)).toBeNull();
    expect(await made.placeFor(undefined)).toBeNull();
    expect(warnings).toEqual([[NONE, expect.stringContaining('plain PTYs')]]);
  });

  test('nothing is logged if no client wants it', async () => {
    const { places: made, warnings } = places('pty', NONE);
    expect(await made.placeFor(undefined)).toBeNull();
    expect(await made.placeFor('pty')).toBeNull();
    expect(warnings).toEqual([]);
  });
});
