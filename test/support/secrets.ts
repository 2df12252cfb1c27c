import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { ALL_OPTIONS, type FullRecording, startRecording, stopRecording } from './recordings.js';
import { found, search } from './search.js';
import type { UsedService } from './use-service.js';
import { WaitClient } from './waits.js';

/** A terminal that is recorded. */
export interface Recorded {
  id: string;
  recordingId: string;
}

/** Types secrets into recorded terminals, and looks for them in everything that the service keeps. */
export class SecretsClient {
  readonly #used: UsedService;
  readonly waits: WaitClient;
  #secrets = 0;

  constructor(used: UsedService) {
    this.#used = used;
    this.waits = new WaitClient(() => used.api);
  }

  /** Returns a secret that occurs nowhere else. */
  newSecret(): string {
    return `hunter${this.#secrets++}Qx7`;
  }

  async open(options: object): Promise<Recorded> {
    const { id } = (await this.#used.api.post<Terminal>('/api/terminals', options)).body;
    return { id, recordingId: await startRecording(this.#used.api, id, ALL_OPTIONS) };
  }

  /** Resolves once earlier input is in the index: a secret would be in the index, too. */
  async indexed(id: string): Promise<void> {
    const word = `after${this.#secrets++}`;
    await this.waits.type(id, `echo ${word}\r`);
    await found(this.#used.api, { query: word, filters: { terminalId: id, type: 'input' } });
  }

  /** Ends the recording and resolves with it; fails if the service keeps the secret anywhere. */
  async nowhere(secret: string, { recordingId }: Recorded): Promise<FullRecording> {
    const { api, service } = this.#used;
    const recording = await stopRecording(api, recordingId);
    expect(JSON.stringify(recording)).not.toContain(secret);
    expect(await search(api, secret)).toEqual([]);
    expect(await search(api, secret.slice(0, -1))).toEqual([]);
    expect(await this.filesWith(secret)).toEqual([]);
    expect(service.log()).not.toContain(secret);
    return recording;
  }

  /** Resolves with the paths of all files under the service's home that contain the text, unencoded. */
  async filesWith(text: string): Promise<string[]> {
    const entries = await readdir(this.#used.service.home, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const contents = await Promise.all(files.map((file) => readFile(file).catch(() => Buffer.alloc(0))));
    return files.filter((_file, index) => contents[index]!.includes(text));
  }

  /** Whether the terminal takes input line by line and does not echo it, as its shell has set it. */
  async hidesInput(id: string): Promise<boolean> {
    const { pid } = (await this.#used.api.get<Terminal>(`/api/terminals/${id}`)).body;
    const tty = execFileSync('ps', ['-o', 'tty=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const modes = execFileSync('stty', ['-F', `/dev/${tty}`, '-a'], { encoding: 'utf8' }).split(/\s+/);
    return modes.includes('icanon') && modes.includes('-echo');
  }
}

/** Returns the events of a recording that mark a typed secret. */
export const secretsOf = ({ events }: FullRecording) => events.filter((event) => 'secret' in event);
