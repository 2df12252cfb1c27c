/** Returns an object as text: a line of JSON for each field, so that no value can pass for another field. */
export function fieldLines(fields: Record<string, unknown>): string {
  const told = Object.entries(fields).filter(([, value]) => value !== undefined);
  return told.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join('\n');
}
