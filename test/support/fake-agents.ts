import { copyFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Code that keeps a script running until the script is killed. */
const FOREVER = 'setInterval(() => {}, 1_000_000);\n';

/** Makes programs in a folder, with the names of agents or others. */
export interface FakeAgents {
  /** Returns the absolute path of a file in the folder; the path contains no link. */
  path(name: string): string;
  /** Resolves with a native program of that name, which sleeps for as many seconds as its argument says. */
  native(name: string): Promise<string>;
  /** Resolves with a link of that name to the same program: the running file has another name. */
  link(name: string): Promise<string>;
  /** Resolves with a script for Node that runs the code, and then until it is killed. */
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
