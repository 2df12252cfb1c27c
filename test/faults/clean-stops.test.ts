import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { createApi } from '../support/http.js';
import { startService } from '../support/service.js';

/** `npm run test:long` stops it 300 times. */
const STOPS = Number(process.env.AUTO_TERMINAL_CLEAN_STOPS ?? 5);
const TERMINALS = 3;
/** Time for each stop: a few seconds, and many times that on a busy machine. */
const ROUND_MS = 30_000;

it(
  `${STOPS} clean stops with terminals open set no store aside, and lose no profile`,
  async () => {
    let home: string | undefined;
    for (let stop = 0; stop < STOPS; stop++) {
      const service = await startService(home === undefined ? {} : { home });
      home = service.home;
      const api = createApi(service.url, { unchecked: true });
      await api.post('/api/profiles', { name: `profile ${stop}`, path: '/bin/sh' });
      for (let terminal = 0; terminal < TERMINALS; terminal++) {
        const { body } = await api.post<Terminal>('/api/terminals', {
          command: ['sh', '-c', 'seq 1 500; exec cat'],
        });
        await api.post(`/api/terminals/${body.id}/input`, { data: `stop ${stop}\r` });
      }
      expect(await service.kill('SIGINT')).toBe(0);
      expect(service.log()).not.toMatch(/"level":(40|50|60)/);
      expect(readdirSync(join(home, 'data')).filter((name) => name.includes('damaged'))).toEqual([]);
    }
    const last = await startService({ home: home! });
    const { body } = await createApi(last.url).get<{ profiles: { is_custom: boolean }[] }>('/api/profiles');
    expect(body.profiles.filter(({ is_custom }) => is_custom)).toHaveLength(STOPS);
    await last.kill('SIGTERM');
    rmSync(home!, { recursive: true });
  },
  STOPS * ROUND_MS + ROUND_MS,
);
