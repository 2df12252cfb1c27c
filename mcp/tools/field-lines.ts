/** An object for a reader: one line for each of its fields, in JSON, so that no text can pass for another field. */
export function fieldLines(fields: Record<string, unknown>): string {
  const told = Object.entries(fields).filter(([, value]) => value !== undefined);
  return told.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join('\n');
}
