import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { createTerminals } from '../support/create-terminals.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { inRounds, medianOf } from '../support/rounds.js';
import { percentile } from '../support/stats.js';
import { type Keyboard, Typist } from '../support/typist.js';

/** Number of other terminals, in which keys are typed meanwhile. */
const OTHERS = 6;
/** Keys typed in each of them in a round, while the hostile terminal prints. */
const KEYS = 100;
const WARM_UP = 300;

/** Outputs of the hostile terminal, as JavaScript: `lead` is printed once, `text` is repeated without end. */
const PRINTED: Array<{ name: string; size: { cols: number; rows: number }; lead?: string; text: string }> = [
  {
    name: '200,000 links at 80x24',
    size: { cols: 80, rows: 24 },
    text: "Array.from({ length: 200000 }, (_, n) => '\\x1b]8;;http://host/' + n + '\\x07link' + n + '\\x1b]8;;\\x07' + (n % 6 ? ' ' : '\\r\\n')).join('')",
  },
  {
    name: '10^6 colours at 1000x1000',
    size: { cols: 1_000, rows: 1_000 },
    text: "'\\x1b[H' + Array.from({ length: 1e6 }, (_, n) => '\\x1b[38;2;' + n % 256 + ';' + (n >> 8) % 256 + ';' + n % 251 + 'm#').join('')",
  },
  {
    name: '10^6 colours at 1000x1000, then rest',
    size: { cols: 1_000, rows: 1_000 },
    lead: "'\\x1b[H' + Array.from({ length: 1e6 }, (_, n) => '\\x1b[38;2;' + n % 256 + ';' + (n >> 8) % 256 + ';' + n % 251 + 'm#').join('')",
    text: "''",
  },
  { name: 'CSI 2 J at 1000x1000', size: { cols: 1_000, rows: 1_000 }, text: "'\\x1b[2J'.repeat(10000)" },
  {
    name: 'CSI 1000 S at 1000x1000',
    size: { cols: 1_000, rows: 1_000 },
    text: "'\\x1b[1000S'.repeat(10000)",
  },
  { name: 'ESC c at 80x24', size: { cols: 80, rows: 24 }, text: "'\\x1bc'.repeat(20000)" },
  {
    name: 'inserted text at 1000x24',
    size: { cols: 1_000, rows: 24 },
    lead: "'\\x1b[4h'",
    text: "'x'.repeat(100000)",
  },
];

/** Measures typing in other terminals while one terminal prints the output that is most expensive for a screen. */
export async function hostile(bench: Bench): Promise<Row[]> {
  const { cleanup, scale } = bench;
  const service = await startOurs(cleanup);
  const typist = new Typist(cleanup);
  const { ids } = await createTerminals(service.url, OTHERS, () => ({ command: ['cat'] }));
  const keyboards = await Promise.all(ids.map((id) => typist.at(service.url, id)));
  await typeAll(keyboards, Math.ceil(WARM_UP * scale));
  const rows: Row[] = [];
  for (const printed of PRINTED) {
    const sides = {
      alone: () => typeAll(keyboards, Math.ceil(KEYS * scale)),
      beside: () => beside(service, printed, keyboards, scale),
    };
    const times = await inRounds(bench, sides, printed.name);
    for (const percent of [99, 100]) {
      const figure = (side: number[][]) => medianOf(side, (round) => percentile(round, percent));
      rows.push({
        name: `keystroke echo beside ${printed.name}: ${percent === 100 ? 'worst' : `p${percent}`}`,
        value: figure(times.beside),
        unit: 'ms',
        peer: { name: 'the same without it', value: figure(times.alone) },
        target: { value: { max: percent === 100 ? 100 : 50 } },
      });
    }
  }
  return rows;
}

/** Types while a terminal prints the hostile output, which begins before the first key and ends after the last key. */
async function beside(
  { url, api }: OurService,
  { size, lead = "''", text }: (typeof PRINTED)[number],
  keyboards: readonly Keyboard[],
  scale: number,
): Promise<number[]> {
  const program = `
    const { writeSync } = require('node:fs');
    const write = (text) => { for (let b = Buffer.from(text); b.length > 0; ) b = b.subarray(writeSync(1, b)); };
    write(${lead});
    const text = ${text};
    while (text) write(text);
    setInterval(() => {}, 1e6);`;
  const command = [process.execPath, '-e', program];
  const { ids } = await createTerminals(url, 1, () => ({ command, ...size, index: false }));
  try {
    return await typeAll(keyboards, Math.ceil(KEYS * scale));
  } finally {
    await api.delete(`/api/terminals/${ids[0]}`);
  }
}

async function typeAll(keyboards: readonly Keyboard[], keys: number): Promise<number[]> {
  return (await Promise.all(keyboards.map((keyboard) => keyboard.type(keys)))).flat();
}
