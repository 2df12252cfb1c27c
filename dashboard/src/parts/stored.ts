/** Returns the value that this browser has stored; parts whose shape differs from that in `none` are taken from `none`. */
export function readStored<Value extends object>(key: string, none: Value): Value {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? 'null') as Record<string, unknown> | null;
    const parts = Object.entries(none).map(([name, empty]) => {
      const part = stored?.[name];
      const isLike =
        typeof part === typeof empty && part !== null && Array.isArray(part) === Array.isArray(empty);
      return [name, isLike ? part : empty];
    });
    return Object.fromEntries(parts) as Value;
  } catch {
    return none;
  }
}

export function writeStored(key: string, value: object): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage is full or forbidden: only this window keeps the value.
  }
}
