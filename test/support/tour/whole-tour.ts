import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OperationExample } from '#dist/gateway/openapi/examples.js';
import type { OpenApiDocument } from '../conformance.js';
import { CLAUDE, drawnAgent } from '../drawn-agents.js';
import { FakeCgroup } from '../fake-cgroup.js';
import { createApi } from '../http.js';
import { startService } from '../service.js';
import { Neutral } from './neutral.js';
import { type Provoked, provokeFailures, provokeUnauthorized } from './provoked.js';
import { arrange, buildStage, logIn, lookAround, openTerminals, settingsAndStubs } from './steps.js';
import { attachPeople, streamOutput } from './steps-clients.js';
import {
  queuePrompts,
  runCommands,
  takeLease,
  typeAndRead,
  typeIntoMany,
  watchAgent,
} from './steps-commands.js';
import { joinMachines } from './steps-fleet.js';
import {
  close,
  makeTokens,
  postEvents,
  readAudit,
  record,
  searchText,
  watchOutput,
} from './steps-history.js';
import { Tour } from './tour.js';

/** The ports that README names. */
const API_PORT = 42_031;
const MCP_PORT = 42_032;
const DASHBOARD_PORT = 42_030;

const portOf = (url = '') => Number(new URL(url).port);

/** The results of a tour. */
export interface Toured {
  document: OpenApiDocument;
  /** Examples by operation, like `GET /api/runs/{runId}`. */
  seen: Map<string, OperationExample>;
  failures: Provoked[];
}

/**
 * Calls every operation of a service with real shells in the home of a user of its own, and provokes the failures that
 * are easy to provoke. A new route gets its example by another step here.
 */
export async function takeTour(): Promise<Toured> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'at-tour-')));
  const home = join(folder, 'ada');
  const stage = await buildStage(home);
  const agent = await buildAgent(home);
  const state = join(folder, 'state');
  await mkdir(state);
  // With this tree, the same limits hold wherever the examples are made.
  const tree = new FakeCgroup();
  const env = { HOME: home, AUTO_TERMINAL_CGROUP_ROOT: tree.folder };
  const service = await startService({ home: state, env, mcp: true });
  try {
    const neutral = new Neutral({
      folders: [
        [state, '/home/ada/.local/state/auto-terminal'],
        [home, '/home/ada'],
      ],
      ports: [
        [portOf(service.url), API_PORT],
        [portOf(service.mcpUrl), MCP_PORT],
        [portOf(service.dashboardUrl), DASHBOARD_PORT],
      ],
    });
    const api = createApi(service.url);
    const { body: document } = await api.get<OpenApiDocument>('/openapi.json');
    const tour = new Tour(api, neutral);
    const profile = await lookAround(tour, stage);
    const { tests, server } = await openTerminals(tour, stage);
    await attachPeople(tour, tests);
    await streamOutput(tour);
    await typeAndRead(tour, tests, server);
    await typeIntoMany(tour, tests, server);
    await queuePrompts(tour, tests);
    await takeLease(tour, tests);
    await arrange(tour, tests, server);
    await runCommands(tour, tests, server);
    await record(tour, tests);
    await searchText(tour);
    await postEvents(tour);
    await makeTokens(tour);
    await readAudit(tour, tests);
    await watchOutput(tour, tests);
    await watchAgent(tour, agent);
    await joinMachines(tour);
    await logIn(tour, createApi(service.dashboardUrl!));
    await settingsAndStubs(tour, tests, profile);
    await close(tour, tests, server, profile);
    const { body: busy } = await api.post<{ id: string }>('/api/terminals', { command: ['sleep', '1000'] });
    const failures = await provokeFailures(api, busy.id, neutral);
    failures.push(await provokeUnauthorized(api));
    return { document, seen: tour.seen, failures };
  } finally {
    await service.stop();
    tree.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes a program that has the name of an agent and draws the agent's screens; resolves with its path. */
async function buildAgent(home: string): Promise<string> {
  const bin = join(home, '.local', 'bin');
  await mkdir(bin, { recursive: true });
  const path = join(bin, 'claude');
  await writeFile(path, `#!${process.execPath}\n${drawnAgent(CLAUDE)}`, { mode: 0o755 });
  return path;
}
