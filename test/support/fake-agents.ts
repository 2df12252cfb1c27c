import { copyFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A script that runs until it is ended. */
const FOREVER = 'setInterval(() => {}, 1_000_000);\n';

/** Programs with the names of agents, and others. */
export interface FakeAgents {
  /** Absolute path of a file in the folder; it contains no link. */
  path(name: string): string;
  /** A native program of that name, which sleeps for as many seconds as its argument says. */
  native(name: string): Promise<string>;
  /** The same through a link: the running file has another name. */
  link(name: string): Promise<string>;
  /** A script for Node, which runs for ever after the given code. */
  script(name: string, code?: string): Promise<string>;
  remove(): Promise<void>;
}

export async function fakeAgents(): Promise<FakeAgents> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'at-agents-')));
  const sleep = await realpath('/bin/sleep');
  const place = async (name: string) => {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    return path;
  };
  return {
    path: (name) => join(folder, name),
    native: async (name) => {
      const path = await place(name);
      await copyFile(sleep, path);
      return path;
    },
    link: async (name) => {
      const path = await place(name);
      await symlink(sleep, path);
      return path;
    },
    script: async (name, code = '') => {
      const path = await place(name);
      await writeFile(path, `#!${process.execPath}\n${code}${FOREVER}`, { mode: 0o755 });
      return path;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
