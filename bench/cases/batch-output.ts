import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { createTerminals } from '../support/create-terminals.js';
import { ourCommand, type Ran } from '../support/our-command.js';
import { startOurs } from '../support/our-service.js';
import { requirePtys } from '../support/ptys.js';
import { BatchReader } from '../support/read-batch.js';
import { inRounds, medianOf } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';

const TERMINALS = 500;
/** Lines that each shell prints: 65 KB, more than one piece of a stream holds. */
const LINES = 1_000;
const LINE = 'a line of output that is about as long as others are: ';
const CODE = 7;
const LABEL = 'role=bench';
/** Memory that the command may take, however much it prints. */
const MAX_BYTES = 150e6;

interface Batch extends Ran {
  /** Number of terminals whose lines and exit code are all right. */
  right: number;
}

/** Measures `auto-terminal batch run` in 500 shells: its memory, its time, and whether its output is right. */
export async function batchOutput(bench: Bench): Promise<Row[]> {
  const { cleanup, scale, progress } = bench;
  const count = Math.round(TERMINALS * scale);
  requirePtys(count);
  const { home, url } = await startOurs(cleanup);
  const [key, value] = LABEL.split('=') as [string, string];
  const { ids } = await createTerminals(url, count, (index) => ({
    ...{ command: ['bash'], name: `shell ${index}`, labels: { [key]: value } },
  }));
  const output = join(tempFolder(cleanup), 'output');
  const run = (line: string) => ourCommand(cleanup, home, ['batch', 'run', '-l', LABEL, '--', line], output);
  progress.note('waits for the prompts of all shells');
  const { code, stderr } = await run('true');
  if (code !== 0) throw new Error(`batch run ended with ${code}: ${stderr}`);
  const printing = `echo $SERVICE_TERMINAL_ID; seq -f '${LINE}%g' ${LINES}; (exit ${CODE})`;
  const { batches } = await inRounds(bench, {
    batches: async (): Promise<Batch> => {
      const ran = await run(printing);
      const right = await rightOnes(output, ids);
      if (ran.code !== CODE) throw new Error(`batch run ended with ${ran.code}: ${ran.stderr}`);
      return { ...ran, right };
    },
  });
  const name = `batch run in ${count} shells`;
  const right = Math.min(...batches.map((batch) => batch.right));
  return [
    {
      ...{ name: `${name}: right`, value: right, unit: 'shells', target: { value: { min: count } } },
      isRequired: true,
      note: 'the fewest of all rounds, with every line and the exit code',
    },
    {
      name: `${name}: peak memory of the command`,
      value: medianOf(batches, ({ peakBytes }) => peakBytes / 1e6),
      unit: 'MB',
      target: { value: { max: MAX_BYTES / 1e6 } },
    },
    { name: `${name}: time`, value: medianOf(batches, ({ seconds }) => seconds), unit: 's' },
  ];
}

/** Reads the command's output. Resolves with the number of terminals whose lines and exit code are right. */
async function rightOnes(file: string, ids: readonly string[]): Promise<number> {
  const names = new Map(ids.map((id, index) => [id, `shell ${index}`]));
  const reader = new BatchReader(names, {
    lines: LINES + 1,
    lineOf: (id, index) => (index === 0 ? id : `${LINE}${index}`),
    exitCode: CODE,
  });
  for await (const line of createInterface({ input: createReadStream(file) })) reader.take(line);
  return reader.right;
}
