import { describe, expect, test } from 'vitest';
import { verbsAt } from '../support/command.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
const { run, out, create } = verbsAt(() => used.service.home);

describe('signal', () => {
  test('ends the program of a terminal, by a name with or without SIG', async () => {
    const ids = [await create('--', 'sleep', '1000'), await create('--', 'sleep', '1000')];
    expect(await run('signal', ids[0]!, 'TERM')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await run('signal', ids[1]!, 'sigkill')).toEqual({ code: 0, stdout: '', stderr: '' });
    await out('wait', ...ids, '-u', 'exited', '-m', 'all');
    for (const [index, state] of ['SIGTERM', 'SIGKILL'].entries())
      expect(await out('show', ids[index]!)).toMatch(new RegExp(`^state +ended: ${state}$`, 'm'));
    expect(await run('signal', ids[0]!, 'TERM')).toMatchObject({ code: 3, stdout: '' });
    await out('close', ...ids);
  });

  test('refuses names that are none, and spares a shell at its prompt', async () => {
    const id = await create();
    expect(await run('signal', id, '9')).toMatchObject({ code: 1, stderr: expect.stringContaining('USR1') });
    await out('exec', id, '--', 'true');
    const idle = await run('signal', id, 'KILL');
    expect(idle).toMatchObject({ code: 5, stderr: expect.stringContaining('Start a command first') });
    expect(await out('exec', id, '--', 'echo alive')).toBe('alive\n');
    await out('close', id);
  });
});
