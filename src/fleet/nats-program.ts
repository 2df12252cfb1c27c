import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { DomainError } from '../contract/errors.js';

/** Folders with a nats-server that PATH may lack: Debian puts it where only root's PATH looks. */
const USUAL_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

const NAME = process.platform === 'win32' ? 'nats-server.exe' : 'nats-server';

/**
 * Returns the path of nats-server: the setting's, else the first on PATH or in the usual folders. Throws no-nats-server.
 *
 * @param given - the setting `fleet.serverPath`
 */
export async function findNatsServer(given: string | undefined, env: NodeJS.ProcessEnv): Promise<string> {
  const folders = [...(env.PATH ?? '').split(delimiter), ...USUAL_FOLDERS].filter((folder) => folder !== '');
  const places = given === undefined ? folders.map((folder) => join(folder, NAME)) : [given];
  for (const place of places) if (await isProgram(place)) return place;
  if (given === undefined) throw new DomainError('no-nats-server');
  throw new DomainError('no-nats-server', `${given}, the setting fleet.serverPath, is no program`);
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Makes nats-server check a configuration file. Rejects with fleet-failed and the message of nats-server. */
export async function checkConfig(program: string, file: string): Promise<void> {
  try {
    await promisify(execFile)(program, ['-t', '-c', file], { timeout: 10_000 });
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new DomainError(
      'fleet-failed',
      `nats-server refuses its configuration: ${stderr.trim() || message}`,
    );
  }
}
