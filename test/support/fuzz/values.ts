import { Raw } from './json.js';
import type { Random } from './random.js';
import type { JsonSchema, Resolve } from './schema.js';

const KIB = 1_024;

/** Text that programs often mishandle. */
const ODD_TEXT = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udc00b',
  '\ud83d',
  '\u202egnp.exe',
  '\u200f\u2066x\u2069',
  '\ufeffbom',
  '\ufffe\uffff',
  'e\u0301\u0301\u0301\u0301',
  '👨‍👩‍👧‍👦',
  '\u{10ffff}',
  '\r\n\r\n',
  '\x1b[2J\x1bc\x1b]0;x\x07',
  '\x1b[201~',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '../../../../etc/passwd',
  '/dev/null/x',
  '%00',
  '%2e%2e%2f',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e308',
  '{{7*7}}',
  "'; DROP TABLE x; --",
  '<script>alert(1)</script>',
  'term_000000000000',
];

const ODD_NUMBERS = [
  ...[0, -1, 1, 0.5, -0.5, 255, 256, 65_535, 65_536, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 53 + 2, -(2 ** 53)],
  ...[1e308, -1e308, 5e-324, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
];

/** Numbers that JSON can write and JavaScript cannot. */
const RAW_NUMBERS = ['-0', '1e999', '-1e999', '1E400', '9'.repeat(400), '0.1e-9999'];

const ODD_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '',
  '\0',
  '\ud800',
  'a.b',
  'length',
  '0',
];

/** Returns up to 64 KiB of text, and occasionally a few times that. */
function hugeText(random: Random): string {
  const size = random.chance(0.05) ? random.int(64 * KIB, 300 * KIB) : random.int(1, 64 * KIB);
  const unit = random.pick(['x', 'é', '漢', '👍', '\ud800', '\n', '\0', 'word ', 'a\u0301']);
  return unit.repeat(Math.max(1, Math.floor(size / unit.length)));
}

export function oddText(random: Random): string {
  if (random.chance(0.06)) return hugeText(random);
  if (random.chance(0.3)) {
    const units = Array.from({ length: random.int(1, 40) }, () => random.int(0, 0xffff));
    return String.fromCharCode(...units);
  }
  return random.pick(ODD_TEXT);
}

/** Returns JSON that is nested deeper than any honest body, and occasionally too deep for a recursive reader. */
function deep(random: Random): Raw {
  const depth = random.chance(0.2) ? random.int(5_000, 50_000) : random.int(10, 500);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['{"type":"split","children":[', ']}'],
  ] as const);
  return new Raw(`${open.repeat(depth)}1${close.repeat(depth)}`);
}

/** Returns any kind of JSON. */
export function oddValue(random: Random, depth = 0): unknown {
  const kind = random.int(0, depth > 3 ? 6 : 9);
  if (kind <= 2) return oddText(random);
  if (kind === 3) return random.pick(ODD_NUMBERS);
  if (kind === 4) return new Raw(random.pick(RAW_NUMBERS));
  if (kind === 5) return random.pick([null, true, false]);
  if (kind === 6) return random.pick([[], {}]);
  if (kind === 7) return Array.from({ length: random.int(1, 5) }, () => oddValue(random, depth + 1));
  if (kind === 8) {
    const keys = Array.from({ length: random.int(1, 4) }, () => oddKey(random));
    return new Map(keys.map((key) => [key, oddValue(random, depth + 1)]));
  }
  return deep(random);
}

export function oddKey(random: Random): string {
  return random.chance(0.6) ? random.pick(ODD_KEYS) : oddText(random).slice(0, 100);
}

/** Returns a meaningless word, which names nothing and is no command of a shell. */
export function word(random: Random): string {
  const letters = Array.from({ length: random.int(1, 12) }, () => String.fromCharCode(random.int(97, 122)));
  return `zq${letters.join('')}`;
}

/** Returns a value that fits the schema as far as its keywords allow. `known` are ids of existing things. */
export function fitting(
  schema: JsonSchema,
  random: Random,
  resolve: Resolve,
  known: string[],
  depth = 0,
): unknown {
  const { $ref, anyOf, oneOf, type, properties = {}, required = [], items } = schema;
  const again = (inner: JsonSchema) => fitting(inner, random, resolve, known, depth + 1);
  if ($ref) return again(resolve($ref));
  const choices = anyOf ?? oneOf;
  if (choices) return again(depth > 6 ? choices[0]! : random.pick(choices));
  if ('const' in schema) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  switch (Array.isArray(type) ? random.pick(type) : type) {
    case 'object': {
      const wanted = Object.entries(properties).filter(
        ([key]) => required.includes(key) || random.chance(0.5),
      );
      const fields = wanted.map(([key, inner]): [string, unknown] => [key, again(inner)]);
      const more = schema.additionalProperties;
      if (typeof more === 'object') fields.push([word(random), again(more)]);
      return new Map(fields);
    }
    case 'array': {
      const length = depth > 5 ? 0 : random.int(1, 3);
      return Array.from({ length }, () => again(items ?? {}));
    }
    case 'integer':
    case 'number':
      return random.int(
        schema.minimum ?? 0,
        Math.min(schema.maximum ?? 1_000, (schema.minimum ?? 0) + 1_000),
      );
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    case 'string':
      return known.length > 0 && random.chance(0.4) ? random.pick(known) : word(random);
    default:
      return word(random);
  }
}
