import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Path of a program; undefined if PATH has none of that name. */
export function findOnPath(program: string): string | undefined {
  const places = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program));
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The same; throws if there is none. */
export function programOnPath(program: string): string {
  const path = findOnPath(program);
  if (path === undefined) throw new Error(`${program} is not on PATH`);
  return path;
}
