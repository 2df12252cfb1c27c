import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from '../../config/private-folder.js';

/** Folder of a generation that is being built, which gets its number only when it is complete. */
const BUILDING = 'building';

/**
 * The folders of an index. Each holds one environment and is named by a number; the highest is current. LMDB files
 * never shrink and keep deleted data, so an index is cleared or made smaller by starting another file.
 */
export class Generations {
  readonly #folder: string;
  #current: number;

  private constructor(folder: string, current: number) {
    this.#folder = folder;
    this.#current = current;
  }

  /** Creates the folder if necessary, and removes leftovers of an earlier process. */
  static async open(folder: string): Promise<Generations> {
    await makePrivateFolder(folder);
    const names = await readdir(folder);
    const current = Math.max(1, ...names.filter((name) => /^\d{1,9}$/.test(name)).map(Number));
    const generations = new Generations(folder, current);
    await generations.removeOld();
    await makePrivateFolder(generations.current);
    return generations;
  }

  /** Folder of the current environment. */
  get current(): string {
    return join(this.#folder, String(this.#current));
  }

  /** Creates an empty folder in which to build the next generation. */
  async build(): Promise<string> {
    await this.#remove(BUILDING);
    const folder = join(this.#folder, BUILDING);
    await makePrivateFolder(folder);
    return folder;
  }

  /**
   * Makes the built generation the current one, and opens it. If `open` throws, the generation before is current again:
   * the next start would otherwise take the new one, and documents stored until then would be lost. The generation before
   * stays, for its readers, until {@link removeOld}.
   */
  async turn<File>(open: (folder: string) => File): Promise<File> {
    const building = join(this.#folder, BUILDING);
    await rename(building, join(this.#folder, String(this.#current + 1)));
    this.#current++;
    try {
      return open(this.current);
    } catch (error) {
      await rename(this.current, building);
      this.#current--;
      throw error;
    }
  }

  /** Removes the generations before. If readers have it open still, its space is freed once they have closed it. */
  async removeOld(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      if (name !== String(this.#current)) await this.#remove(name);
    }
  }

  /** Moves a damaged environment aside and creates an empty folder in its place; returns where the environment went. */
  async setAside(): Promise<string> {
    const aside = `${this.#folder}.damaged-${Date.now()}`;
    await rename(this.current, aside);
    await makePrivateFolder(this.current);
    return aside;
  }

  /** Windows refuses to remove files that a reader has open; the next start removes them. */
  async #remove(name: string): Promise<void> {
    const isBusy = (error: NodeJS.ErrnoException) => error.code === 'EBUSY' || error.code === 'EPERM';
    try {
      await rm(join(this.#folder, name), { recursive: true, force: true });
    } catch (error) {
      if (!isBusy(error as NodeJS.ErrnoException)) throw error;
    }
  }
}
