import type { Logger } from 'pino';
import type { AuditCheck, AuditEntry, AuditFacts, AuditQuery, AuditText } from '../../contract/audit.js';
import { DomainError } from '../../contract/errors.js';
import { VERSION } from '../../contract/version.js';
import { type AuditFields, decodeLine } from '../../store/audit/audit-line.js';
import type { AuditKeeping, AuditLog } from '../../store/audit/audit-log.js';
import { type ReadLine, readAudit } from '../../store/audit/read-audit.js';
import { verifyAudit } from '../../store/audit/verify-audit.js';
import { matcherOf } from './audit-filter.js';
import type { AuditSink, TypedSecrets } from './audited-input.js';
import { LineWindow } from './line-window.js';
import { TypedLines } from './typed-lines.js';

/** The settings of the audit log. */
interface AuditSettings extends AuditKeeping {
  enabled: boolean;
  /** Whether an action that cannot be logged is refused. */
  required: boolean;
  text: AuditText;
}

export interface AuditOptions {
  /** Opens the log in its folder, where no second log may be opened. Throws the errors of the file system. */
  open: () => AuditLog;
  folder: string;
  settings: () => AuditSettings;
  /** Returns the finder of secrets in text that is typed into a terminal. */
  secretsOf: (terminalId: string) => TypedSecrets;
  logger: Pick<Logger, 'error' | 'info'>;
}

/** Keeps the audit log while the setting `audit.enabled` is on. */
export class Audit implements AuditSink {
  /** Lines about what is typed. */
  readonly typed: TypedLines = new TypedLines(this);
  /** Bounds the lines about requests of strangers; one line says how many have none. */
  readonly strangers = new LineWindow((requests) => this.#add({ action: 'audit.left-out', requests }));
  readonly #options: AuditOptions;
  #log: AuditLog | undefined;
  /** Number of lines that could not be written since the last line that was. */
  #lost = 0;
  readonly #followers = new Set<() => void>();

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    return this.#options.settings().enabled;
  }

  get isRequired(): boolean {
    return this.isOn && this.#options.settings().required;
  }

  /** How much of typed text is kept. */
  get text(): AuditText {
    return this.#options.settings().text;
  }

  secretsOf(terminalId: string): TypedSecrets {
    return this.#options.secretsOf(terminalId);
  }

  /**
   * Adds a line about an action before it happens, and returns its number; undefined if the log is off or cannot be
   * written. Throws `audit-unavailable` if it cannot be written and the setting `audit.required` is on: then the action
   * must not happen.
   */
  begin(facts: AuditFacts): number | undefined {
    const n = this.add(facts);
    if (n === undefined && this.isRequired) throw new DomainError('audit-unavailable');
    return n;
  }

  /**
   * Adds a line about an action that has happened, and returns its number; undefined if the log is off or cannot be
   * written. A failure to write is logged, and counted in the next line that can be written.
   */
  add(facts: AuditFacts): number | undefined {
    return this.#add(facts);
  }

  #add(facts: AuditFields): number | undefined {
    if (!this.isOn) return undefined;
    try {
      const log = this.#opened();
      if (this.#lost > 0) log.append({ action: 'audit.gap', lost: this.#lost });
      this.#lost = 0;
      const n = log.append(facts);
      for (const tell of this.#followers) tell();
      return n;
    } catch (err) {
      this.#lose(err);
      return undefined;
    }
  }

  /** Opens or closes the log, as the settings require. */
  settingsChanged(): void {
    try {
      if (this.isOn) this.#opened().trim();
      else void this.#closed();
    } catch (err) {
      this.#options.logger.error({ err }, 'the audit log cannot be written');
    }
  }

  /** Throws `audit-unavailable` if the log is required, its last line could not be written, and it still cannot be written. */
  ensure(): void {
    if (this.#lost > 0 && this.isOn) this.begin({ action: 'audit.tried' });
  }

  /**
   * Yields the lines that match, oldest first, as they are on the disk and without line feeds; leaves out what is no line
   * of a log, which {@link verify} names. With a signal it goes on with each new line until the signal fires.
   */
  async *lines(query: AuditQuery, following?: AbortSignal): AsyncGenerator<string> {
    const matches = matcherOf(query);
    let last = query.after ?? 0;
    let read: ReadLine | undefined;
    for (;;) {
      const changed = following && this.#changed(following);
      // Whoever follows gets each new line without all of its file being read again.
      for await (read of readAudit(this.#options.folder, read ?? last + 1)) {
        const { text } = read;
        const line = decodeLine(text);
        // One damaged line must not hide the lines behind it from a person who looks into the damage.
        if (!line || line.n <= last) continue;
        const entry = { ...line.fields, n: line.n, at: line.at, prev: line.prev } as AuditEntry;
        last = line.n;
        if (matches(entry)) yield text;
      }
      if (!changed) return;
      await changed;
      if (following.aborted) return;
    }
  }

  verify(): Promise<AuditCheck> {
    return verifyAudit(this.#options.folder);
  }

  /** Adds the lines that are still gathered. Call before the service ends, or is handed over. */
  settle(): void {
    this.typed.close();
    this.strangers.end();
  }

  /**
   * Closes the log when the service ends. A failure is logged, as on a full disk: what remains of the stop must not wait
   * for an administrator.
   */
  async close(): Promise<void> {
    this.settle();
    await this.#closed();
  }

  #opened(): AuditLog {
    if (this.#log) return this.#log;
    this.#log = this.#options.open();
    this.#log.append({ action: 'audit.opened', version: VERSION });
    return this.#log;
  }

  /** Ends the log with a line, if it is open. */
  async #closed(): Promise<void> {
    const log = this.#log;
    if (!log) return;
    this.#log = undefined;
    try {
      log.append({ action: 'audit.closed' });
    } catch (err) {
      this.#lose(err);
    }
    await log.close().catch((err: unknown) => {
      this.#options.logger.error({ err }, 'the audit log could not be closed');
    });
  }

  #lose(err: unknown): void {
    if (this.#lost === 0) this.#options.logger.error({ err }, 'the audit log cannot be written');
    this.#lost++;
  }

  /** Resolves once there is a new line, or the signal fires. */
  #changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#followers.delete(end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.#followers.add(end);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });
  }
}
