import { describe, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { type Failure, watch } from '../support/http.js';
import { limitProcess } from '../support/limit-process.js';
import { hostPidOf } from '../support/processes.js';
import { useService } from '../support/use-service.js';

const FILES = 100;

const used = useService();

const create = () => used.api.post<Terminal & Failure>('/api/terminals', { command: ['cat'] });
const limitHost = (files: number) => limitProcess(hostPidOf(used.service.home), `--nofile=${files}:`);

describe.runIf(process.platform === 'linux')('when the pty host may open no more files', () => {
  it('a create answers 500 and names the limit, the others go on, and there is room once it is raised', async () => {
    const { body: cat } = await create();
    limitHost(FILES);
    let answer = await create();
    const made = [cat.id];
    for (; answer.status === 200; answer = await create()) made.push(answer.body.id);
    expect([answer.status, answer.body.error]).toEqual([
      500,
      `cat could not be started: the pty host cannot open more files (its limit: ${FILES}), and each terminal needs two; raise the limit of open files (ulimit -n)`,
    ]);
    const { body } = await used.api.get<{ terminals: Terminal[] }>('/api/terminals');
    expect(body.terminals.map(({ id }) => id).sort()).toEqual(made.sort());
    const watcher = await watch(used.service.url);
    await used.api.post(`/api/terminals/${cat.id}/input`, { data: 'still here\r' });
    await watcher.untilOutput(cat.id, 'still here\r\nstill here');
    await watcher.close();

    limitHost(2 * FILES);
    expect((await create()).status).toBe(200);
    expect((await used.api.get('/health')).status).toBe(200);
  });
});
