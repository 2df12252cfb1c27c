import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the path of a program; undefined if PATH has no program of that name. */
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

/** Returns the path of a program; throws if PATH has no program of that name. */
export function programOnPath(program: string): string {
  const path = findOnPath(program);
  if (path === undefined) throw new Error(`${program} is not on PATH`);
  return path;
}
