import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** The user `nobody`, who exists on every Linux. */
export const NOBODY = 65_534;

/** Only root may become another user, and only Linux reports the user of a connection. */
export const CAN_BE_ANOTHER_USER = process.platform === 'linux' && process.getuid?.() === 0;

/** Returns whether nobody can read files, which may lie in a folder of root's own. */
export function nobodyCanRead(...files: string[]): boolean {
  const user = { uid: NOBODY, gid: NOBODY, cwd: '/' };
  return CAN_BE_ANOTHER_USER && files.every((file) => spawnSync('test', ['-r', file], user).status === 0);
}

/** Runs a script of Node as nobody, with `input` as JSON on its stdin, and returns the printed JSON. */
export async function asNobody<Result>(script: string, input: unknown): Promise<Result> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    ...{ uid: NOBODY, gid: NOBODY, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'] as const },
    env: { PATH: process.env.PATH },
  });
  const printed = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  child.stdin.end(JSON.stringify(input));
  const [out, error] = await printed;
  if (error !== '') throw new Error(error);
  return JSON.parse(out) as Result;
}
