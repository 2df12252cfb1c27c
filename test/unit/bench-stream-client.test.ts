import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { afterEach, expect, it } from 'vitest';

const CLIENT = createRequire(import.meta.url).resolve('../../dist/bench/peers/stream-client.js');

let client: ChildProcess | undefined;

afterEach(() => client?.kill('SIGKILL'));

it('the stream client outlives a program that is closed before its end has come', async () => {
  client = fork(CLIENT, [], { serialization: 'advanced', stdio: 'ignore' });
  const call = async (name: string, ...args: unknown[]) => {
    const answered = once(client!, 'message');
    client!.send({ id: 0, name, args });
    return (await answered)[0];
  };
  await call('run', 'sh', ['-c', 'echo %end; exec sleep 1000'], process.env, 'never printed', 0);
  expect(await call('close')).toEqual({ id: 0 });
  expect(await call('received')).toMatchObject({ result: '%end\n'.length });
});
