import { expect, test } from 'vitest';
import type { AutoTerminal } from '../../src/client/index.js';
import type { Context } from '../../src/command/context.js';
import { machineNamed } from '../../src/command/verbs/fleet-machines.js';

/** Otherwise a machine with such a name could not be removed, nor anything be granted to the other one by its id. */
test('an id names its machine, whatever another one is called', async () => {
  const machines = [
    { machineId: 'm_a', deviceName: 'lap', self: false },
    { machineId: 'm_b', deviceName: 'm_a', self: false },
    { machineId: 'm_c', deviceName: 'lap', self: false },
    { machineId: 'self', deviceName: 'hub', self: true },
  ];
  const client = { fleet: { machines: async () => machines } } as unknown as AutoTerminal;
  const named = (name: string) => machineNamed({} as Context, client, name);
  expect(await named('m_a')).toBe('m_a');
  expect(await named('m_b')).toBe('m_b');
  await expect(named('lap')).rejects.toThrow('lap names several machines');
  await expect(named('hub')).rejects.toThrow('hub is no other machine');
});
