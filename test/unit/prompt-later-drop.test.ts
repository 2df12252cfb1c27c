import { describe, expect, test } from 'vitest';
import type { EngineEvent } from '#dist/actors/events.js';
import { LaterDrop } from '#dist/actors/prompts/later-drop.js';
import type { InputPart } from '#dist/contract/terminal.js';

const KEYS: InputPart[] = [{ data: 'a prompt' }, { data: '\r' }];
const part = (data: string): InputPart[] => [{ data }];

/** Returns whether the prompt's line is dropped by what is typed, each in its terminal. */
function isDropped(typed: (readonly [id: string, parts: InputPart[]])[]): boolean {
  const listeners = new Set<(event: EngineEvent) => void>();
  const listen = (listener: (event: EngineEvent) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const drop = new LaterDrop({ terminalId: 't', keys: KEYS, listen });
  for (const [id, parts] of typed)
    for (const listener of listeners) listener({ type: 'typed', id, parts, origin: 'api', at: 0 });
  drop.close();
  expect(listeners.size).toBe(0);
  return drop.isDropped;
}

describe('the line of a prompt', () => {
  test.each(['\x15', '\x03', '\r'])('is dropped by %j after its keys', (key) => {
    expect(
      isDropped([
        ['t', KEYS],
        ['t', part(key)],
      ]),
    ).toBe(true);
  });

  test('is dropped by the same keys of somebody else', () => {
    expect(
      isDropped([
        ['t', KEYS],
        ['t', [...KEYS]],
      ]),
    ).toBe(true);
  });

  test.each([
    ['its own Enter', [['t', KEYS]]],
    [
      'a key that was typed before',
      [
        ['t', part('\x15')],
        ['t', KEYS],
      ],
    ],
    [
      'other text',
      [
        ['t', KEYS],
        ['t', part('x')],
      ],
    ],
    [
      'a key in another terminal',
      [
        ['t', KEYS],
        ['u', part('\x15')],
      ],
    ],
  ] as [string, [string, InputPart[]][]][])('is not dropped by %s', (_what, typed) => {
    expect(isDropped(typed)).toBe(false);
  });
});
