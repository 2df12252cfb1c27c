import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { kindOfData } from '../environment.js';
import { readInProcess } from '../reading-process.js';

const ENTRY = fileURLToPath(new URL('./main.js', import.meta.url));

const NameLine = z.tuple([z.string()]);
const RecordLine = z.tuple([z.string(), z.base64()]);

/** The records of a database, by id. */
export type Records = Map<string, Buffer>;

export interface Salvaged {
  /** Records of each database, by the database's name. */
  databases: Map<string, Records>;
  /** Number of these records that come from the copy. */
  fromCopy: number;
  /** Numbers of records that only the copy has, and that were left out, by the names of their databases. */
  leftOut: Record<string, number>;
}

/**
 * Reads as much as possible of a damaged environment, record by record from both ends of each database. Records in
 * between that cannot be read are taken from the copy, so a record that was removed since the copy may come back there;
 * but none of the databases in `current`. Throws ConfigError if the system lets no process read them.
 *
 * @param copy - folder of an earlier state, which need not exist
 * @param current - names of databases whose records must not be older than the damage
 */
export async function salvage(folder: string, copy: string, current: ReadonlySet<string>): Promise<Salvaged> {
  const salvaged: Salvaged = { databases: new Map(), fromCopy: 0, leftOut: {} };
  const names = new Set([...(await namesIn(folder)), ...(await namesIn(copy))]);
  for (const name of names) {
    const forward = await read(folder, name);
    const records: Records = new Map(forward.records);
    if (!forward.isWhole) {
      const backward = await read(folder, name, 'reverse');
      const [last, first] = [[...forward.records.keys()].at(-1), [...backward.records.keys()].at(-1)];
      for (const [id, bytes] of backward.records) records.set(id, bytes);
      for (const [id, bytes] of (await read(copy, name)).records) {
        if (!isBetween(id, last, first) || records.has(id)) continue;
        if (current.has(name)) {
          salvaged.leftOut[name] = (salvaged.leftOut[name] ?? 0) + 1;
          continue;
        }
        records.set(id, bytes);
        salvaged.fromCopy++;
      }
    }
    if (records.size > 0) salvaged.databases.set(name, records);
  }
  return salvaged;
}

/** Compares ids in the order of LMDB, which is that of their bytes. */
function isBetween(id: string, before: string | undefined, after: string | undefined): boolean {
  const compare = (other: string) => Buffer.compare(Buffer.from(id), Buffer.from(other));
  return (before === undefined || compare(before) > 0) && (after === undefined || compare(after) < 0);
}

async function namesIn(folder: string): Promise<string[]> {
  const { lines } = await run(folder);
  return lines.flatMap((line) => NameLine.safeParse(line).data ?? []);
}

async function read(folder: string, name: string, ...order: 'reverse'[]) {
  const { lines, isWhole } = await run(folder, name, ...order);
  const records: Records = new Map();
  for (const line of lines) {
    const [key, value] = RecordLine.safeParse(line).data ?? [];
    if (key !== undefined && value !== undefined) records.set(key, Buffer.from(value, 'base64'));
  }
  return { records, isWhole };
}

/** Returns the lines that a process prints while it reads an environment, and whether the process got to the end. */
async function run(folder: string, ...args: string[]): Promise<{ lines: unknown[]; isWhole: boolean }> {
  if (kindOfData(folder) !== 'file') return { lines: [], isWhole: false };
  const { output, code } = await readInProcess(ENTRY, folder, args);
  return { lines: output.split('\n').flatMap(parsed), isWhole: code === 0 };
}

/** Returns nothing for an incomplete line. */
function parsed(line: string): unknown[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
