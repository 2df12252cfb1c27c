// npm run bench [-- --only flood,latency] [--json] [--rounds 5] [--peers vibetunnel] [--scale 0.1] [--save-baseline]
// Exits with 1 if a figure is worse than bench/baseline.json allows.
import { parseArgs } from 'node:util';
import { batch } from './cases/batch.js';
import { busy } from './cases/busy.js';
import { fanout } from './cases/fanout.js';
import { flood } from './cases/flood.js';
import { hostile } from './cases/hostile.js';
import { idle } from './cases/idle.js';
import { latency } from './cases/latency.js';
import { mcp } from './cases/mcp.js';
import { pipelined } from './cases/pipelined.js';
import { reads } from './cases/reads.js';
import { regex } from './cases/regex.js';
import { run as runs } from './cases/run.js';
import { scale as scales } from './cases/scale.js';
import { search } from './cases/search.js';
import { slow } from './cases/slow.js';
import { type Row, toJson, toTable } from './report.js';
import { compare, save } from './support/baseline.js';
import type { Case } from './support/bench.js';
import { Cleanup } from './support/cleanup.js';

const CASES: Record<string, Case> = {
  flood,
  fanout,
  slow,
  pipelined,
  latency,
  hostile,
  busy,
  scale: scales,
  idle,
  batch,
  reads,
  regex,
  run: runs,
  search,
  mcp,
};

const { values } = parseArgs({
  options: {
    /** Names of the cases to run, separated by commas. */
    only: { type: 'string', default: Object.keys(CASES).join(',') },
    json: { type: 'boolean', default: false },
    /** Number of rounds in which each figure is measured. */
    rounds: { type: 'string', default: '5' },
    /** Peers to fetch and run, separated by commas: vibetunnel. */
    peers: { type: 'string', default: '' },
    /** Share of the full sizes, for a quick run. */
    scale: { type: 'string', default: '1' },
    'save-baseline': { type: 'boolean', default: false },
  },
});
const rounds = positive('rounds', values.rounds);
const scale = positive('scale', values.scale);
const peers = new Set(values.peers.split(',').filter((name) => name !== ''));

const interrupted = new Promise<never>((_resolve, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // The case's pending work fails now, which must not end the process before the cleanup is done.
      process.on('unhandledRejection', () => {});
      reject(new Error(`ended by ${signal}`));
    });
  }
});

const rows: Row[] = [];
for (const name of values.only.split(',')) {
  const run = CASES[name];
  if (!run) throw new Error(`no case ${name}; there are ${Object.keys(CASES).join(', ')}`);
  process.stderr.write(`${name} ...\n`);
  const cleanup = new Cleanup();
  try {
    rows.push(...(await Promise.race([run({ rounds, scale, peers, cleanup }), interrupted])));
  } finally {
    await cleanup.run();
  }
}
const isWhole = scale === 1;
const comparisons = isWhole ? compare(rows) : new Map();
if (values['save-baseline'] && isWhole) save(rows);
process.stdout.write(
  values.json ? `${JSON.stringify(toJson(rows, comparisons))}\n` : toTable(rows, comparisons),
);
// A run that becomes the baseline is not judged by the baseline that it replaces.
const isWorse = [...comparisons.values()].some(({ worse }) => worse);
if (isWorse && !values['save-baseline']) process.exitCode = 1;

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a positive number, not ${text}`);
  return value;
}
