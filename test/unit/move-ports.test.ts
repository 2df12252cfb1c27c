import { expect, test } from 'vitest';
import type { Sidecar } from '#dist/actors/sidecar/sidecar.js';
import { moveBy } from '#dist/app/sidecar.js';
import { configOf } from '#dist/config/settings.js';
import { DomainError } from '#dist/contract/errors.js';
import type { SidecarSettings } from '#dist/contract/sidecar.js';
import type { Binding, Listener } from '#dist/gateway/listen.js';

const HOST = '127.0.0.1';

test('a dashboard that has lost its port in a failed move is trusted by the tool server no longer', async () => {
  let binding: Binding | undefined = { host: HOST, port: 1_001 };
  const dashboard = {
    get binding() {
      return binding;
    },
    apply: async () => {
      binding = undefined;
      throw new DomainError('port-taken');
    },
  };
  const listener = { binding: { host: HOST, port: 1_000 }, url: `http://${HOST}:1000`, move: async () => {} };
  const applied: (SidecarSettings | undefined)[] = [];
  const settings = { host: HOST, port: 1_002, dashboardPort: 1_001 } as SidecarSettings;
  const sidecar = { settings, apply: async (next?: SidecarSettings) => void applied.push(next) };
  const move = moveBy({
    ...{ listener: listener as unknown as Listener, dashboard, instanceId: 'one' },
    sidecar: sidecar as unknown as Sidecar,
  });
  const config = configOf({}, { platform: process.platform, cores: 2 });
  if (typeof config === 'string') throw new Error(config);
  await expect(move(config)).rejects.toMatchObject({ code: 'port-taken' });
  expect(applied).toEqual([{ ...settings, dashboardPort: 0 }]);
});
