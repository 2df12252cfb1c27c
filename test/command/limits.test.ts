import { beforeEach, expect, test } from 'vitest';
import { VERSION } from '#dist/contract/version.js';
import { verbsAt } from '../support/command.js';
import { Limited } from '../support/limits.js';
import { answering } from '../support/scripted-server.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/sh' } });
const { run, out, create } = verbsAt(() => used.service.home);
let limited: Limited;

beforeEach(async () => {
  limited = new Limited(used.api);
  await limited.set({});
  await limited.closeAll();
});

test('limits shows what is limited, what is in use, and who waits', async () => {
  expect(await out('limits')).toMatch(/^terminals +0 running, 0 starting, of any number$/m);
  await out(
    'config',
    'set',
    'limits',
    '{"maxTerminals": 1, "perLabel": [{"selector": "role=test", "max": 2}]}',
  );
  await create('-n', 'first', '-l', 'role=test', '--', 'cat');
  const waits = out(
    'new',
    '-n',
    'second',
    '-l',
    'role=test',
    '--queue',
    '60',
    '--priority',
    '-3',
    '--',
    'cat',
  );
  await limited.waiting(1);
  const shown = await out('limits');
  expect(shown).toMatch(/^terminals +1 running, 0 starting, of 1$/m);
  expect(shown).toMatch(/^role=test +1 of 2$/m);
  expect(shown).toMatch(/^waiting +1 of at most 1000$/m);
  expect(shown).toMatch(
    /^ {2}1 +second {2}role=test {2}priority -3 {2}since \ds {2}for maxTerminals {2}by api$/m,
  );
  await out('close', 'first');
  expect((await waits).trim()).toMatch(/^term_/);
});

test('new, run and exec that meet a limit end with 75 and say what to do; --queue waits so long', async () => {
  await limited.set({ maxTerminals: 0 });
  for (const verb of ['new', 'run']) {
    const { code, stdout, stderr } = await run(verb, '--queue', '0.2', '--', 'true');
    expect([code, stdout]).toEqual([75, '']);
    expect(stderr).toContain('of at most 0 terminals run or start (limits.maxTerminals)');
    expect(stderr).toContain('auto-terminal limits');
  }
  expect((await run('new')).code).toBe(75);
  const waits = run('run', '--queue', '60', '--', 'sh', '-c', 'echo ran; exit 3');
  await limited.waiting(1);
  await limited.set({ maxTerminals: 1 });
  expect(await waits).toMatchObject({ code: 3, stdout: 'ran\n' });
});

test('doctor names a limit that cannot be held where the service runs', async () => {
  const { url } = await answering(({ request, response }) => {
    const bodies: Record<string, object> = {
      '/health': { status: 'ok', app: 'auto-terminal', instanceId: 'i-1', version: VERSION },
      '/api/profiles': { profiles: [] },
      '/api/limits': { unknown: ['maxMemoryPressure'] },
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(bodies[request.url!] ?? { available: false, tmux_path: '' }));
  });
  expect(await out('doctor', '--url', url)).toContain(
    '!\tlimits\tlimits.maxMemoryPressure: the system does not report it\t',
  );
  expect(await out('doctor')).not.toContain('limits.');
});

test.each([
  [['--queue', 'soon'], 'a number of seconds'],
  [['--priority', 'high'], 'a whole number'],
])('%j is refused', async (args, said) => {
  const { code, stderr } = await run('new', ...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
});

test('new and run limit a terminal, and say what does not hold', async () => {
  const options = ['--memory', '512MiB', '--pids', '100', '--cpu-weight', '50'];
  const { stdout, stderr } = await run('new', ...options, '--', 'cat');
  expect(stderr).toContain('limits.pids does not hold here');
  expect(await out('show', stdout.trim())).toMatch(
    /^limits +memory 536870912, cpu weight 51 \(rlimit\); not held: pids$/m,
  );
  const shell = await run('run', '--memory', '512MB', '--', 'sh', '-c', 'ulimit -d');
  expect([shell.code, shell.stdout]).toEqual([0, '500000\n']);
});

test.each([
  ['--memory', '512 apples'],
  ['--memory', 'all'],
  ['--pids', '-3'],
  ['--cpu-weight', 'much'],
])('%s %s is refused', async (option, value) => {
  const { code, stderr } = await run('new', option, value);
  expect([code, stderr]).toEqual([2, expect.stringContaining(option)]);
});
