import { isDeepStrictEqual } from 'node:util';

export type JsonObject = { [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns an object with a JSON merge patch (RFC 7396) laid over it: objects merge, null removes a key, all other
 * values replace. The object itself stays unchanged.
 */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const before = merged.get(key);
    if (value === null) merged.delete(key);
    else if (isObject(value)) merged.set(key, mergePatch(isObject(before) ? before : {}, value));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

/**
 * Returns the patch without the values that each of the objects has already. A null stays, since no object of settings
 * has a null.
 */
export function withoutEqual(patch: JsonObject, ...objects: readonly JsonObject[]): JsonObject {
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(patch)) {
    const now = objects.map((object) => (Object.hasOwn(object, key) ? object[key] : undefined));
    if (isObject(value) && now.every(isObject)) {
      const rest = withoutEqual(value, ...now);
      if (Object.keys(rest).length > 0) kept[key] = rest;
    } else if (!now.every((each) => isDeepStrictEqual(value, each))) {
      kept[key] = value;
    }
  }
  return kept;
}
