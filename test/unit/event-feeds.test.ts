import { describe, expect, it } from 'vitest';
import { EventLog } from '../../src/actors/event-log/event-log.js';
import type { KeptLogRecord } from '../../src/actors/event-log/kept-log.js';
import { ServiceFeed } from '../../src/actors/event-log/service-feed.js';
import { TerminalFeed } from '../../src/actors/event-log/terminal-feed.js';
import type { EngineEvent } from '../../src/actors/events.js';
import type { RecordingChange } from '../../src/actors/recordings/running-recordings.js';
import type { Command } from '../../src/contract/command.js';
import type { EndedRun } from '../../src/contract/service-event.js';
import type { ExitStatus, Terminal } from '../../src/contract/terminal.js';
import { eventually } from '../support/processes.js';
import { MemoryShelf } from '../support/shelf.js';

const EXIT: ExitStatus = { exitCode: 3, signal: null, exitedAt: 1 };

/** The state that a service knows at its start. */
interface Present {
  terminals?: { id: string; name?: string; cols?: number; exit?: ExitStatus }[];
  settings?: object;
  /** Ids of the recordings that run, all of terminal `t`, and of those that are being finished. */
  recordings?: string[];
  finishing?: string[];
  /** Ids of the runs that go on, and the ended runs by id. */
  runs?: string[];
  ended?: Record<string, EndedRun>;
}

/** Opens the log and feeds of a service, on the shelf that the previous service has left. */
async function start(shelf: MemoryShelf<KeptLogRecord>, present: Present = {}) {
  const { terminals = [], settings = {}, recordings = [], finishing = [], runs = [], ended = {} } = present;
  const log = await EventLog.open({
    ...{ shelf, boot: 'boot', maxEvents: 1_000, maxBytes: 1_000_000 },
    logger: { error: () => undefined },
  });
  const first = log.last + 1;
  const records = new Map(
    terminals.map(({ id, name = 'name', cols = 80, exit = null }) => {
      const status = exit ? 'exited' : 'running';
      const terminal = { id, name, tabId: 'tab', labels: { of: id }, status } as unknown as Terminal;
      return [id, { terminal, start: { size: { cols, rows: 24 }, exit } }];
    }),
  );
  const ofTerminals = new TerminalFeed({
    log,
    terminals: {
      list: () => [...records.values()].map(({ terminal }) => terminal),
      get: (id: string) => records.get(id)!.terminal,
      startOf: (id: string) => records.get(id)!.start as never,
    },
  });
  let tellRecording: (change: RecordingChange) => void = () => {};
  const ofService = new ServiceFeed({
    log,
    recordings: {
      running: () => recordings.map((recordingId) => ({ kind: 'started', recordingId, terminalId: 't' })),
      isOver: (id) => !recordings.includes(id) && !finishing.includes(id),
      onChanged: (listener) => {
        tellRecording = listener;
      },
    },
    layout: { onChanged: () => undefined },
    canvas: { onChanged: () => undefined },
    settings: () => settings,
    labelsOf: (id) => ofTerminals.labelsOf(id),
  });
  for (const id of runs) ofService.runBegan(id);
  ofTerminals.start();
  ofService.start({ isRunning: (id) => runs.includes(id), ended: (id) => ended[id] });
  return {
    log,
    ofTerminals,
    ofService,
    recording: (change: RecordingChange) => tellRecording(change),
    /** Resolves with the events of this service once they are written. Call it once. */
    said: async () => {
      const marker = `marker ${first}`;
      log.append({ type: 'terminal.removed', terminalId: marker, data: {} }, {});
      await eventually('all is written', async () => log.at(log.last)?.terminalId === marker);
      return Array.from({ length: log.last - first }, (_, index) => log.at(first + index)!)
        .map(({ json }) => JSON.parse(json) as { type: string; terminalId?: string; data: object })
        .filter(({ type, terminalId }) => !/^(layout|canvas)/.test(type) && !terminalId?.startsWith('marker'))
        .map(({ type, terminalId, data }) => [type, terminalId, data] as const);
    },
  };
}

const brief = (said: readonly (readonly [string, string | undefined, object])[]) =>
  said.map(([type, id]) => `${type} ${id ?? ''}`.trim());

function command(id: string, endedAt: number | null): EngineEvent {
  return { type: 'command', id: 't', command: { id, endedAt } as Command };
}

describe('the feeds of the log of events', () => {
  it('say nothing of what is there when the log begins', async () => {
    const { said } = await start(new MemoryShelf(), {
      terminals: [{ id: 'one' }, { id: 'other', exit: EXIT }],
      settings: { section: { key: 1 } },
    });
    expect(await said()).toEqual([]);
  });

  it('say at the start what has become of terminals, and of none twice', async () => {
    const shelf = new MemoryShelf<KeptLogRecord>();
    const before = await start(shelf, {
      terminals: ['same', 'renamed', 'resized', 'exited', 'removed', 'typed'].map((id) => ({ id })),
    });
    before.ofTerminals.onEvent({ type: 'typed', id: 'typed', parts: [], origin: 'api', at: 0 });
    await before.said();
    const present = {
      terminals: [
        { id: 'same' },
        { id: 'renamed', name: 'another' },
        { id: 'resized', cols: 100 },
        { id: 'exited', exit: EXIT },
        { id: 'typed' },
        { id: 'unknown', exit: EXIT },
      ],
    };
    const after = await start(shelf, present);
    const said = await after.said();
    expect(brief(said)).toEqual([
      'terminal.updated renamed',
      'terminal.resized resized',
      'terminal.exited exited',
      'input.changed typed',
      'terminal.created unknown',
      'terminal.exited unknown',
      'terminal.removed removed',
    ]);
    expect(said.map(([, , data]) => data)).toMatchObject([
      { name: 'another' },
      { cols: 100, rows: 24 },
      EXIT,
      { source: null },
      { id: 'unknown' },
      EXIT,
      {},
    ]);
    expect(after.log.epoch).toBe(before.log.epoch);
    expect(await (await start(shelf, present)).said()).toEqual([]);
  });

  it('say each command once, though it is reported again after a crash', async () => {
    const shelf = new MemoryShelf<KeptLogRecord>();
    const terminals = [{ id: 't' }];
    const { ofTerminals, said } = await start(shelf, { terminals });
    for (const event of [command('cmd_1', null), command('cmd_1', 5), command('cmd_2', null)])
      ofTerminals.onEvent(event);
    expect(brief(await said())).toEqual(['command.started t', 'command.finished t', 'command.started t']);
    const next = await start(shelf, { terminals });
    const again = [command('cmd_1', null), command('cmd_1', 5), command('cmd_2', null), command('cmd_2', 9)];
    for (const event of [...again, command('cmd_2', 9), command('cmd_3', null)])
      next.ofTerminals.onEvent(event);
    expect((await next.said()).map(([type, , data]) => [type, data])).toMatchObject([
      ['command.finished', { id: 'cmd_2' }],
      ['command.started', { id: 'cmd_3' }],
    ]);
  });

  it('say that an agent has changed, and not that it is as it was', async () => {
    const { ofTerminals, said } = await start(new MemoryShelf(), { terminals: [{ id: 't' }] });
    const status = (agent: string | null, agentStatus: 'idle' | 'working' | null, isAgain = false) =>
      ofTerminals.onEvent({
        ...{ type: 'agent', id: 't', isAgain },
        agent: { agent, agentStatus, agentStatusReason: null },
      });
    status(null, null);
    status('claude', 'idle');
    status('claude', 'idle');
    // An unchanged status is reported again if a client may have read another status from a list.
    status('claude', 'idle', true);
    expect(ofTerminals.hasAgent('t')).toBe(true);
    status(null, null);
    expect(ofTerminals.hasAgent('t')).toBe(false);
    expect(brief(await said())).toEqual(['agent.status t', 'agent.status t', 'agent.status t']);
  });

  it('say at the start which recordings and runs have begun and ended', async () => {
    const shelf = new MemoryShelf<KeptLogRecord>();
    const terminals = [{ id: 't' }];
    const recordings = ['over', 'runs', 'finishing'];
    const before = await start(shelf, { terminals, recordings, runs: ['goes on', 'ended', 'lost'] });
    expect(brief(await before.said())).toEqual(recordings.map(() => 'recording.started t'));
    const run = { runId: 'ended', state: 'finished' } as EndedRun;
    const after = await start(shelf, {
      terminals,
      ...{ recordings: ['runs', 'new'], finishing: ['finishing'], runs: ['goes on'], ended: { ended: run } },
    });
    after.recording({ kind: 'stopped', recordingId: 'finishing', terminalId: 't', truncated: true });
    after.recording({ kind: 'stopped', recordingId: 'never heard of', terminalId: 't' });
    after.ofService.runEnded({ ...run, runId: 'goes on' });
    expect((await after.said()).map(([type, , data]) => [type, data])).toEqual([
      ['recording.stopped', { recordingId: 'over' }],
      ['run.finished', run],
      ['run.finished', { runId: 'lost', state: 'unknown' }],
      ['recording.started', { recordingId: 'new' }],
      ['recording.stopped', { recordingId: 'finishing', truncated: true }],
      ['run.finished', { ...run, runId: 'goes on' }],
    ]);
    expect(after.log.facts.has('recording/finishing')).toBe(false);
  });

  it('say which settings were edited while no service ran', async () => {
    const shelf = new MemoryShelf<KeptLogRecord>();
    const settings = { network: { token: 'a secret', port: 1 }, agents: { own: { rules: [] } } };
    const before = await start(shelf, { settings });
    await before.said();
    await before.log.close();
    const edited = { network: { token: 'another', port: 1 }, agents: {}, search: { index: true } };
    const { said } = await start(shelf, { settings: edited });
    expect(await said()).toEqual([
      ['settings.changed', undefined, { settings: ['agents.own', 'network.token', 'search.index'] }],
    ]);
    expect([...shelf.records.values()].join()).not.toMatch(/a secret|another/);
  });
});
