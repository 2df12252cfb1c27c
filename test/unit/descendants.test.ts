import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { descendantsOf } from '#dist/workers/pty-host/processes/descendants.js';
import { eventually } from '../support/processes.js';

test.runIf(process.platform === 'linux')(
  'children and their children are found, the parents first, and none of a process that is gone',
  async () => {
    const shell = spawn('sh', ['-c', 'sh -c "sleep 99; :" & sleep 99; :'], {
      stdio: 'ignore',
      detached: true,
    });
    const pid = shell.pid!;
    try {
      await eventually('all have started', () => [...descendantsOf(pid)].length === 3);
      const [first = 0, second = 0, third = 0] = descendantsOf(pid);
      const parents = [first, second];
      expect(parents.some((parent) => [...descendantsOf(parent)].includes(third))).toBe(true);
    } finally {
      process.kill(-pid, 'SIGKILL');
    }
    await eventually('all have ended', () => [...descendantsOf(pid)].length === 0);
  },
);
