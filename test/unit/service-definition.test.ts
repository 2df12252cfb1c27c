import { join } from 'node:path';
import { expect, test } from 'vitest';
import { definitionFor } from '#dist/command/service/definition.js';
import { isManaged, withoutManager } from '#dist/command/service/manager.js';

test('the variables that the service needs are kept, and no others', () => {
  const env = {
    ...{
      AUTO_TERMINAL_HOME: 'state',
      AUTO_TERMINAL_PORT: '5000',
      MCP_PORT: '',
      PATH: '/bin',
      LC_ALL: 'C.UTF-8',
    },
    ...{ AUTO_TERMINAL_TOKEN: 'secret', AWS_SECRET_ACCESS_KEY: 'secret', TMPDIR: '/var/tmp' },
  };
  const home = join(process.cwd(), 'state');
  const definition = definitionFor(env);
  expect(definition.env).toEqual({
    ...{ AUTO_TERMINAL_HOME: home, AUTO_TERMINAL_PORT: '5000', PATH: '/bin', LC_ALL: 'C.UTF-8' },
  });
  expect(definition.paths).toMatchObject({
    ...{ dataFolder: join(home, 'data'), hostSocket: join(home, 'data/run/pty-host.sock') },
  });
});

test('the temporary folder is kept where the sockets lie in it', () => {
  const env = { AUTO_TERMINAL_HOME: `/${'long/'.repeat(30)}`, TMPDIR: process.env.TMPDIR ?? '/tmp' };
  expect(definitionFor(env).env).toMatchObject({ TMPDIR: env.TMPDIR });
});

test('the programs are of this package, by absolute paths', () => {
  const { node, cli, hostEntry } = definitionFor({});
  expect(node).toMatch(/^\/.*node/);
  expect([cli, hostEntry].map((path) => path.replace(/^\/.*\/dist\//, ''))).toEqual([
    'src/cli.js',
    'src/workers/pty-host/main.js',
  ]);
});

test('a service is known as managed by its arguments, and runs as another one without them', () => {
  const args = ['--port', '5000', '--managed-by', 'systemd', '--no-mcp'];
  const own = ['--port', '5000', '--no-mcp'];
  expect([isManaged(args), isManaged(own)]).toEqual([true, false]);
  expect([withoutManager(args), withoutManager(own)]).toEqual([own, own]);
});
