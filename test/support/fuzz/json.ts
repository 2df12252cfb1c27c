/** Text that goes into the JSON unchanged. */
export class Raw {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Writes JSON that JSON.stringify cannot: objects are maps, so that `__proto__` is an ordinary key and keys
 * may repeat, and {@link Raw} is written unchanged.
 */
export function writeJson(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (value instanceof Map) {
    const fields = [...value].map(([key, inner]) => `${JSON.stringify(key)}:${writeJson(inner)}`);
    return `{${fields.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
