import { createHash, createHmac } from 'node:crypto';

/** Returns the SHA-256 of a text in base64url. A path with a key may be long, so only its hash is kept. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/**
 * Returns a fingerprint of a validated body: the same for bodies that differ only in the notation and the order of
 * their fields. `scope` is the HMAC's key and only its hash is on disk, so that a short secret in a body cannot be
 * guessed from the fingerprint that is kept.
 */
export function fingerprintOf(scope: string, body: unknown): string {
  return createHmac('sha256', scope).update(canonicalJson(body)).digest('base64url');
}

/** An array or object that is partly written. */
interface Container {
  /** Keys as JSON has them, empty in an array. */
  entries: readonly (readonly [key: string, value: unknown])[];
  written: number;
  end: string;
}

/**
 * The JSON of a value with the keys of its objects in order. Without recursion: a body may hold an unknown field that
 * is nested deeper than the call stack reaches.
 */
function canonicalJson(whole: unknown): string {
  let text = '';
  const open: Container[] = [];
  const write = (value: unknown) => {
    if (typeof value !== 'object' || value === null) text += JSON.stringify(value) ?? '';
    else {
      text += Array.isArray(value) ? '[' : '{';
      open.push(containerOf(value));
    }
  };
  write(whole);
  for (let last = open.at(-1); last; last = open.at(-1)) {
    const entry = last.entries[last.written++];
    if (entry) {
      text += last.written > 1 ? `,${entry[0]}` : entry[0];
      write(entry[1]);
    } else {
      text += last.end;
      open.pop();
    }
  }
  return text;
}

function containerOf(value: object): Container {
  if (Array.isArray(value))
    return { entries: value.map((item: unknown) => ['', item]), written: 0, end: ']' };
  const entries = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, field]) => [`${JSON.stringify(key)}:`, field as unknown] as const);
  return { entries, written: 0, end: '}' };
}
