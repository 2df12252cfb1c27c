import { CommandError, EXIT, usageError } from './exit-codes.js';

/** Returns the setting at a path of names with dots. Throws if there is none, with the names that are there. */
export function settingAt(settings: object, path: string): unknown {
  let value: unknown = settings;
  let at = '';
  for (const name of namesOf(path)) {
    if (!isObject(value) || !Object.hasOwn(value, name)) {
      const names = isObject(value) ? Object.keys(value).map((key) => at + key) : [];
      const fix = names.length > 0 ? `There are: ${names.join(', ')}` : `${at.slice(0, -1)} is one setting`;
      throw new CommandError(EXIT.notFound, 'setting-not-found', `There is no setting ${path}`, fix);
    }
    value = (value as Record<string, unknown>)[name];
    at += `${name}.`;
  }
  return value;
}

/** Returns the body of `PATCH /api/settings` that sets one setting. */
export function changeOf(path: string, value: unknown): object {
  return namesOf(path).reduceRight((inner, name) => ({ [name]: inner }), value) as object;
}

/** Returns the value of a text: parsed if the text is JSON, else the text itself. */
export function parsedValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function namesOf(path: string): string[] {
  const names = path.split('.');
  if (names.includes(''))
    throw usageError(
      `${JSON.stringify(path)} is no path of a setting`,
      'Give a path such as terminals.scrollback',
    );
  return names;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
