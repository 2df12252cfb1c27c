import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import { replaceFile } from '../../config/replace-file.js';
import { MAX_CREATED_AT_ONCE, MAX_SECRETIVE_TERMINALS, REDACTION_KEY_BYTES } from '../../contract/limits.js';
import type { RedactSettings } from '../../contract/redaction/redact-settings.js';
import type { Codec, Collection, Store } from '../../store/store.js';
import type { KnownValue } from '../../workers/redaction/known-values.js';
import { type RedactionPlan, SecretFinder } from '../../workers/redaction/secret-finder.js';
import { SecretForms } from '../../workers/redaction/secret-forms.js';
import { SecretHash } from '../../workers/redaction/secret-hash.js';
import { secretValues } from './secret-values.js';

/** The secrets of one terminal, by hashes from which nobody can read them. */
const KNOWN_CODEC: Codec<KnownValue[]> = {
  version: 1,
  schema: z.array(
    z.object({
      name: z.string(),
      length: z.int().min(1),
      fingerprint: z.int().min(0),
      isWhole: z.literal(true).optional(),
      hash: z.string(),
    }),
  ),
};

const KEY = new RegExp(`^[0-9a-f]{${2 * REDACTION_KEY_BYTES}}\\n$`);

export interface RedactionOptions {
  store: Store;
  /** Path of the key; the file is written when the key is first needed. */
  keyFile: string;
  /** The section `redact` of the settings; another object after each change. */
  settings: () => RedactSettings;
  /** Whether anything is redacted automatically, so that the secrets of new terminals have to be known. */
  isOn: () => boolean;
  /** Returns the terminals whose secrets may still turn up: existing terminals, and terminals with a recording. */
  needed: () => Iterable<string>;
  logger: Pick<Logger, 'warn'>;
}

/** Finds the secrets of each terminal: keeps the hashes of its variables' values, and the key of this installation. */
export class Redaction {
  readonly #options: RedactionOptions;
  readonly #known: Collection<KnownValue[]>;
  readonly #key: Buffer;
  readonly #hash: SecretHash;
  /** Resolves once the key is written, or could not be. */
  #keyKept: Promise<void> | undefined;
  #forms: { settings: RedactSettings; forms: SecretForms } | undefined;
  /** Hashes of values that could not be stored, by terminal: lost at a restart. */
  readonly #unstored = new Map<string, KnownValue[]>();
  /** Finders of terminals with known secrets, by id; under '' the finder that all other terminals share. */
  readonly #finders = new Map<string, SecretFinder>();

  private constructor(options: RedactionOptions, key: Buffer | undefined) {
    this.#options = options;
    this.#known = options.store.collection('secrets', KNOWN_CODEC);
    this.#key = key ?? randomBytes(REDACTION_KEY_BYTES);
    this.#hash = new SecretHash(this.#key);
    if (key) this.#keyKept = Promise.resolve();
  }

  /** Reads the key, if there is one. A damaged key is replaced, with a log line: hashes then differ from earlier ones. */
  static async open(options: RedactionOptions): Promise<Redaction> {
    return new Redaction(options, await readKey(options.keyFile, options.logger));
  }

  /**
   * Takes note of the secrets in the environment of a terminal that is about to start: if anything is redacted by
   * itself, or if it names some. If they cannot be stored, they are known up to a restart. Rejects with
   * invalid-request, see {@link secretValues}.
   */
  async note(
    terminalId: string,
    env: Readonly<Record<string, string>>,
    named: readonly string[],
  ): Promise<void> {
    if (!this.#options.isOn() && named.length === 0) return;
    const values = secretValues(env, named, this.#hash);
    if (values.length === 0) return;
    await this.#keepKey();
    if (this.#known.all().size >= MAX_SECRETIVE_TERMINALS)
      this.keepOf(this.#options.needed(), MAX_CREATED_AT_ONCE);
    try {
      await this.#known.put(terminalId, values);
    } catch (err) {
      this.#options.logger.warn(
        { err, terminal: terminalId },
        'the secrets of a terminal are known up to a restart',
      );
      this.#unstored.set(terminalId, values);
    }
  }

  /** Forgets the secrets of all other terminals except the last `newest`, which may be about to start. */
  keepOf(terminalIds: Iterable<string>, newest = 0): void {
    const needed = new Set(terminalIds);
    for (const id of [...this.#unstored.keys()].filter((unstored) => !needed.has(unstored))) {
      this.#unstored.delete(id);
      this.#finders.delete(id);
    }
    const ids = [...this.#known.all().keys()];
    for (const id of ids.slice(0, ids.length - newest)) {
      if (needed.has(id)) continue;
      this.#finders.delete(id);
      this.#known.remove(id).catch((err: unknown) => {
        this.#options.logger.warn({ err, terminal: id }, 'the secrets of a terminal could not be forgotten');
      });
    }
  }

  /** Returns the plan by which another thread finds the secrets of a terminal. */
  async planOf(terminalId: string): Promise<RedactionPlan> {
    await this.#keepKey();
    return { key: this.#key, settings: this.#options.settings(), known: this.#valuesOf(terminalId) ?? [] };
  }

  /** Returns the finder for text of a terminal. It is valid up to the next change of the settings. */
  finderOf(terminalId: string): SecretFinder {
    void this.#keepKey();
    const forms = this.#currentForms();
    const known = this.#valuesOf(terminalId);
    const id = known ? terminalId : '';
    let finder = this.#finders.get(id);
    if (!finder) {
      finder = new SecretFinder(this.#hash, forms, known ?? []);
      this.#finders.set(id, finder);
    }
    return finder;
  }

  #currentForms(): SecretForms {
    const settings = this.#options.settings();
    if (this.#forms?.settings === settings) return this.#forms.forms;
    this.#finders.clear();
    this.#forms = { settings, forms: new SecretForms(settings) };
    return this.#forms.forms;
  }

  #valuesOf(terminalId: string): KnownValue[] | undefined {
    return this.#known.get(terminalId) ?? this.#unstored.get(terminalId);
  }

  /** Writes the key, once. If that fails, later hashes differ from earlier ones after a restart. */
  #keepKey(): Promise<void> {
    this.#keyKept ??= replaceFile(this.#options.keyFile, `${this.#key.toString('hex')}\n`).catch(
      (err: unknown) => {
        this.#options.logger.warn({ err }, 'the key for hashes of secrets could not be written');
      },
    );
    return this.#keyKept;
  }
}

async function readKey(file: string, logger: Pick<Logger, 'warn'>): Promise<Buffer | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (KEY.test(text)) return Buffer.from(text, 'hex');
  logger.warn(
    { file },
    'the key for hashes of secrets is damaged and is replaced: later hashes differ from earlier ones',
  );
  return undefined;
}
