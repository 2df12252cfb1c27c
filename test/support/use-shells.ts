import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { Rig } from '../engine/pty-host-rig.js';
import { type Ran, type ShellOptions, ShellSession } from './shell-session.js';

/** Returns a function that starts a shell, which ends after the test that has started it. */
export function useShells(): (file: string, options?: ShellOptions) => Promise<ShellSession> {
  const sessions: ShellSession[] = [];
  let rig: Rig;
  beforeAll(async () => {
    rig = await Rig.start();
  });
  afterEach(async () => {
    for (const session of sessions.splice(0)) await session.close();
  });
  afterAll(() => rig.end());
  return async (file, options) => {
    const session = await ShellSession.start(rig, file, options);
    sessions.push(session);
    return session;
  };
}

/** Returns the only command that a line ran; fails if the line ran none or more. */
export function only({ commands }: Ran) {
  expect(commands).toHaveLength(1);
  return commands[0]!;
}

/** Returns the output of a command, without the title, colours and CR that fish prints before it. */
export function printedBy({ output }: { output: string }): string {
  return output
    .replaceAll('\r\n', '\n')
    .replace(/\x1b\]0;[^\x07]*\x07/g, '')
    .replace(/\x1b\[[0-9;]*m|\x1b\(B/g, '')
    .replace(/^\r/, '');
}
