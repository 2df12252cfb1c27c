import { secretValues } from '../../src/actors/redaction/secret-values.js';
import type { RecordingEvent } from '../../src/contract/recording.js';
import { noHeldEvents, redactEvents } from '../../src/workers/redaction/redacted-events.js';
import { SecretFinder } from '../../src/workers/redaction/secret-finder.js';
import { SecretHash } from '../../src/workers/redaction/secret-hash.js';
import { ordinaryLines } from '../../test/support/ordinary-lines.js';
import { Random } from '../../test/support/random.js';
import { keysOf } from '../../test/support/secret-corpus.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { buildOutput } from '../support/build-output.js';
import { inRounds, medianOf } from '../support/rounds.js';

const KEYS = 200;
const LINES = 10_000;
const MAX_FALSE = 5;
/** Target of the issue that asked for redaction. */
const MAX_NS_PER_BYTE = 10;
/** Passes over the text in each round. */
const PASSES = 5;
/** Characters of an event, and of each searched text: about as many as a document of the search index has. */
const EVENT_CHARS = 4_096;
const EVENTS_OF_A_SLICE = 16;

/** Secret variables of a terminal. */
const SECRETS = { A_TOKEN: 'a'.repeat(40), B_TOKEN: 'b'.repeat(40), DB_PASSWORD: 'correct horse' };

/** Measures the search for secrets in text without any, beside a plain pass over it. Counts the finds in a corpus. */
export async function redact(bench: Bench): Promise<Row[]> {
  const key = new Uint8Array(32);
  const settings = { patterns: {}, allow: [] };
  const known = secretValues(SECRETS, [], new SecretHash(key));
  const finder = SecretFinder.of({ key, settings, known: [] });
  const withValues = SecretFinder.of({ key, settings, known });
  const missed = keysOf(new Random(1), KEYS).filter(
    ({ kind, text }) => !finder.redact(text).includes(`[redacted:${kind}:`),
  );
  const lines = ordinaryLines(new Random(2), LINES);
  const text = buildOutput(1, Math.ceil(40_000 * bench.scale));
  const bytes = Buffer.byteLength(text);
  const events = eventsOf(text);
  const pieces = events.map(({ data }) => data);
  const results = await inRounds(bench, {
    'plain pass': async () => nsPerByte(bytes, () => sumOf(pieces, plainPass)),
    forms: async () => nsPerByte(bytes, () => sumOf(pieces, (piece) => finder.find(piece).length)),
    'forms and values': async () =>
      nsPerByte(bytes, () => sumOf(pieces, (piece) => withValues.find(piece).length)),
    'as it is exported': async () => nsPerByte(bytes, () => exported(finder, events)),
  });
  const pass = { name: 'plain pass', value: medianOf(results['plain pass'], Number) };
  const row = (name: string, values: readonly number[]): Row => ({
    name: `redact, nothing matches: ${name}`,
    ...{ value: medianOf(values, Number), unit: 'ns/byte', peer: pass },
  });
  const target = { value: { max: MAX_NS_PER_BYTE } };
  return [
    { ...row('forms', results.forms), target },
    { ...row('forms and values of variables', results['forms and values']), target },
    row('coloured output as it is exported', results['as it is exported']),
    {
      ...{
        name: `redact: found of ${KEYS} secrets`,
        value: KEYS - missed.length,
        unit: 'found',
        better: 'more',
      },
      ...{ target: { value: { min: KEYS } }, isRequired: true },
    },
    {
      name: `redact: false ones in ${LINES} lines`,
      value: lines.filter((line) => finder.redact(line) !== line).length,
      unit: 'false',
      ...{ target: { value: { max: MAX_FALSE } }, isRequired: true },
    },
  ];
}

function nsPerByte(bytes: number, pass: () => number): number {
  const begin = performance.now();
  let sum = 0;
  for (let count = 0; count < PASSES; count++) sum += pass();
  const ms = performance.now() - begin;
  if (Number.isNaN(sum)) throw new Error('a pass returned NaN');
  return (ms * 1e6) / (PASSES * bytes);
}

function sumOf(pieces: readonly string[], of: (piece: string) => number): number {
  return pieces.reduce((sum, piece) => sum + of(piece), 0);
}

/** Reads each character once, which is the least work of any search. */
function plainPass(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (sum + text.charCodeAt(at)) | 0;
  return sum;
}

function eventsOf(text: string): RecordingEvent[] {
  return Array.from({ length: Math.ceil(text.length / EVENT_CHARS) }, (_, index) => ({
    ...{ event_type: 'output', timestamp: index },
    data: text.slice(index * EVENT_CHARS, (index + 1) * EVENT_CHARS),
  }));
}

function exported(finder: SecretFinder, events: readonly RecordingEvent[]): number {
  const held = noHeldEvents();
  let count = 0;
  for (let at = 0; at < events.length; at += EVENTS_OF_A_SLICE) {
    const slice = events.slice(at, at + EVENTS_OF_A_SLICE);
    count += redactEvents(finder, slice, held, at + EVENTS_OF_A_SLICE >= events.length).length;
  }
  if (count !== events.length) throw new Error(`${count} events of ${events.length} came out`);
  return count;
}
