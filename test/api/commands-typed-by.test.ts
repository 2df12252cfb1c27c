import { beforeAll, describe, expect, it } from 'vitest';
import type { Command, CommandList } from '#dist/contract/command.js';
import { ShellTerminal } from '../support/commands.js';
import { type Api, createApi, watch } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { Random } from '../support/random.js';
import { openTerminal } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();

/** A second client, which claims to run in a terminal. */
let agent: Api;
let agentsTerminal: string;
beforeAll(async () => {
  agentsTerminal = await openTerminal(used.api, ['cat']);
  agent = createApi(used.service.url, { headers: { 'x-service-terminal-id': agentsTerminal } });
});

const typeBy = (api: Api, id: string, data: string) => api.post(`/api/terminals/${id}/input`, { data });
const commandsOf = async (id: string): Promise<Command[]> =>
  (await used.api.get<CommandList>(`/api/terminals/${id}/commands?limit=1000`)).body.commands;

describe('typedBy of a command', () => {
  it('is the only writer of its terminal, in lists and in events, and null once there is another', async () => {
    const watcher = await watch(used.service.url, 'events=lifecycle&output=0');
    const shell = await ShellTerminal.open(used.api);
    await shell.run(': first');
    await typeBy(agent, shell.id, ': second');
    await shell.type('\r');
    await shell.ended(': second');
    const service = { kind: 'service', verified: false };
    expect((await commandsOf(shell.id)).map(({ commandLine, typedBy }) => [commandLine, typedBy])).toEqual([
      [': second', null],
      [': first', service],
    ]);
    const told = watcher.frames.flatMap(({ event }) =>
      event?.type === 'command.finished' && event.terminalId === shell.id ? [event.data.typedBy] : [],
    );
    expect(told).toEqual([service, null]);
    await watcher.close();
  });

  it('is the client of its run, whoever else has typed', async () => {
    const shell = await ShellTerminal.open(used.api);
    await typeBy(agent, shell.id, ': first\r');
    await shell.ended(': first');
    for (const api of [used.api, agent]) {
      await api.post('/api/terminals/batch/run', { terminalIds: [shell.id], command: ': a run' });
    }
    const [last, before, first] = await commandsOf(shell.id);
    expect(last).toMatchObject({
      runId: expect.any(String),
      typedBy: { kind: 'agent', terminalId: agentsTerminal },
    });
    expect(before).toMatchObject({ typedBy: { kind: 'service' } });
    expect(first).toMatchObject({ typedBy: { kind: 'agent' } });
  });

  it('is never another writer, however two of them get between each other', async () => {
    const random = new Random(7);
    let named = 0;
    for (let round = 0; round < 4; round++) {
      const shell = await ShellTerminal.open(used.api);
      const { id } = shell;
      await shell.run(': service alone');
      const sent: Promise<unknown>[] = [];
      // Both clients type parts of lines, mostly without waiting for each other.
      for (let index = 0; index < 30; index++) {
        const isAgent = random.below(2) === 0;
        const [api, name] = isAgent ? [agent, 'agent'] : [used.api, 'service'];
        sent.push(typeBy(api, id, random.below(3) === 0 ? `: ${name} ` : `: ${name}-${index}\r`));
        if (random.below(3) === 0) await Promise.all(sent);
      }
      await Promise.all(sent);
      await typeBy(used.api, id, '\r: end\r');
      await eventually('all have run', async () =>
        (await commandsOf(id)).some(({ commandLine }) => commandLine === ': end'),
      );
      for (const { commandLine, typedBy } of await commandsOf(id)) {
        if (typedBy === null || typedBy === undefined) continue;
        named++;
        expect([commandLine, typedBy.kind]).toEqual([expect.not.stringContaining('agent'), 'service']);
      }
    }
    expect(named).toBeGreaterThan(0);
  });
});
