// npm run bench [-- --only flood,echo] [--json]
import { parseArgs } from 'node:util';
import { create } from './cases/create.js';
import { echo } from './cases/echo.js';
import { flood } from './cases/flood.js';
import { mcp } from './cases/mcp.js';
import { regex } from './cases/regex.js';
import { run as runs } from './cases/run.js';
import { search } from './cases/search.js';
import { type Row, toJson, toTable } from './report.js';

const CASES: Record<string, () => Promise<Row[]>> = { flood, echo, create, regex, run: runs, search, mcp };

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(CASES).join(',') },
    json: { type: 'boolean', default: false },
  },
});

const rows: Row[] = [];
for (const name of values.only.split(',')) {
  const run = CASES[name];
  if (!run) throw new Error(`no case ${name}; there are ${Object.keys(CASES).join(', ')}`);
  process.stderr.write(`${name} ...\n`);
  rows.push(...(await run()));
}
process.stdout.write(values.json ? `${JSON.stringify(toJson(rows))}\n` : toTable(rows));
