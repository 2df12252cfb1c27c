import { createHash } from 'node:crypto';

/** Returns a hash of each setting's value by its name, such as `network.port`. */
export function hashesOf(settings: object): Record<string, string> {
  const hashes = new Map<string, string>();
  for (const [section, values] of Object.entries(settings)) {
    for (const [key, value] of Object.entries(values as object))
      hashes.set(`${section}.${key}`, hashOf(value));
  }
  return Object.fromEntries(hashes);
}

/** Returns the names of the settings that differ, or that only one side has, in order. */
export function changedNames(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]).sort();
}

function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('base64url');
}
