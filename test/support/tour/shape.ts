/** The parts of a JSON value: the names of its keys at every depth, and the types of its values. */
interface Shape {
  /**
   * `string`, `number`, `boolean` and so on; null does not count, since a field that is null has another type
   * elsewhere.
   */
  types: Set<string>;
  keys?: Map<string, Shape>;
  /** Shape of all items of an array together; undefined for an empty array. */
  items?: Shape | undefined;
}

function shapeOf(values: readonly unknown[]): Shape {
  const present = values.filter((value) => value !== null);
  const arrays = present.filter(Array.isArray);
  const objects = present.filter((value) => typeof value === 'object' && !Array.isArray(value)) as object[];
  const items = arrays.flat();
  const names = new Set(objects.flatMap((each) => Object.keys(each)));
  const keys = [...names].map((name): [string, Shape] => [
    name,
    shapeOf(
      objects.map((each) => (each as Record<string, unknown>)[name]).filter((each) => each !== undefined),
    ),
  ]);
  return {
    types: new Set(present.map((value) => (Array.isArray(value) ? 'array' : typeof value))),
    ...(objects.length > 0 && { keys: new Map(keys) }),
    ...(items.length > 0 && { items: shapeOf(items) }),
  };
}

/** Returns the differences between the shapes of two JSON values, a line for each place. */
export function differences(seen: unknown, kept: unknown): string[] {
  return compare('', shapeOf([seen]), shapeOf([kept]));
}

function compare(path: string, seen: Shape, kept: Shape): string[] {
  if (seen.types.size === 0 || kept.types.size === 0) return [];
  const types = [seen, kept].map((shape) => [...shape.types].sort().join(' or '));
  if (types[0] !== types[1]) return [`${path || '/'} is ${types[0]}, and ${types[1]} in the example`];
  const keys = new Set([...(seen.keys?.keys() ?? []), ...(kept.keys?.keys() ?? [])]);
  const within = [...keys].flatMap((key) => {
    const [one, other] = [seen.keys?.get(key), kept.keys?.get(key)];
    if (!one) return [`${path}/${key} stands in the example only`];
    if (!other) return [`${path}/${key} is missing in the example`];
    return compare(`${path}/${key}`, one, other);
  });
  const items = seen.items && kept.items ? compare(`${path}/*`, seen.items, kept.items) : [];
  return [...within, ...items];
}
