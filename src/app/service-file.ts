import { rm } from 'node:fs/promises';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { replaceFile } from '../config/replace-file.js';
import type { ServiceFacts } from '../contract/service-facts.js';

export interface ServiceFileOptions {
  path: string;
  /** Returns the present facts. */
  facts: () => ServiceFacts;
  logger: Logger;
}

/** `run/service.json`, by which programs of the same user find the running service. */
export class ServiceFile {
  readonly #options: ServiceFileOptions;
  /** One change after the other, since all use the same draft. */
  readonly #turns = pLimit(1);
  #isRemoved = false;

  constructor(options: ServiceFileOptions) {
    this.#options = options;
  }

  /**
   * Writes the present facts. A file that cannot be written, as on a full disk, is removed and logged: a service without
   * it works, and a wrong file would send clients elsewhere.
   */
  write(): Promise<void> {
    const { path, facts, logger } = this.#options;
    return this.#turns(async () => {
      if (this.#isRemoved) return;
      try {
        await replaceFile(path, `${JSON.stringify(facts(), null, 2)}\n`);
      } catch (err) {
        logger.warn(
          { err },
          `${path} cannot be written: programs find the service by its port or socket alone`,
        );
        await rm(path, { force: true });
      }
    });
  }

  /**
   * Removes the file for good, after every write that has begun. A file that cannot be removed, as on a disk that has become
   * read-only, is logged: the stop must go on to close the terminals, and a killed service leaves the file, too.
   */
  remove(): Promise<void> {
    const { path, logger } = this.#options;
    this.#isRemoved = true;
    return this.#turns(() =>
      rm(path, { force: true }).catch((err: unknown) =>
        logger.warn({ err }, `${path} cannot be removed: it names a service that has ended`),
      ),
    );
  }
}
