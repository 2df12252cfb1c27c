import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from '../../config/private-folder.js';

/** A generation that is being built takes its number only when it is whole. */
const BUILDING = 'building';

/**
 * The folders of an index: one environment each, named by a number, of which the newest counts. LMDB files never
 * shrink and keep what was deleted, so that an index is cleared or made smaller by beginning another file.
 */
export class Generations {
  readonly #folder: string;
  #current: number;

  private constructor(folder: string, current: number) {
    this.#folder = folder;
    this.#current = current;
  }

  /** Makes the folder if need be, and removes what an earlier process left behind. */
  static async open(folder: string): Promise<Generations> {
    await makePrivateFolder(folder);
    const names = await readdir(folder);
    const current = Math.max(1, ...names.filter((name) => /^\d{1,9}$/.test(name)).map(Number));
    const generations = new Generations(folder, current);
    for (const name of names) {
      if (name !== String(current)) await generations.#remove(name);
    }
    await makePrivateFolder(generations.current);
    return generations;
  }

  /** Folder of the environment that counts. */
  get current(): string {
    return join(this.#folder, String(this.#current));
  }

  /** Makes an empty folder to build the next generation in. */
  async build(): Promise<string> {
    await this.#remove(BUILDING);
    const folder = join(this.#folder, BUILDING);
    await makePrivateFolder(folder);
    return folder;
  }

  /** Has what was built count from now on. The one before stays, for its readers, until {@link removeOld}. */
  async turn(): Promise<void> {
    await rename(join(this.#folder, BUILDING), join(this.#folder, String(this.#current + 1)));
    this.#current++;
  }

  /** Readers may have it open still: its space is free once they have closed it. */
  async removeOld(): Promise<void> {
    await this.#remove(String(this.#current - 1));
  }

  /** Moves a damaged environment out of the way and makes an empty folder in its place; gives where it went. */
  async setAside(): Promise<string> {
    const aside = `${this.#folder}.damaged-${Date.now()}`;
    await rename(this.current, aside);
    await makePrivateFolder(this.current);
    return aside;
  }

  /** Windows refuses while a reader has the files open; the next start removes them then. */
  async #remove(name: string): Promise<void> {
    const isBusy = (error: NodeJS.ErrnoException) => error.code === 'EBUSY' || error.code === 'EPERM';
    try {
      await rm(join(this.#folder, name), { recursive: true, force: true });
    } catch (error) {
      if (!isBusy(error as NodeJS.ErrnoException)) throw error;
    }
  }
}
