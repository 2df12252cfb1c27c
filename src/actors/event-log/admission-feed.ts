import type { Obstacle } from '../../contract/admission.js';
import { REFUSAL_EVENT_MS } from '../../contract/limits.js';
import type { AdmissionChange } from '../admission/waiter.js';
import type { EventLog } from './event-log.js';

/** Logs the changes of creations that met a limit. */
export class AdmissionFeed {
  readonly #log: Pick<EventLog, 'append'>;
  #refused = 0;
  #obstacle: Obstacle | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Pick<EventLog, 'append'>) {
    this.#log = log;
  }

  onChange(change: AdmissionChange): void {
    if (change.type === 'turned-away') {
      this.#refused++;
      this.#obstacle = change.obstacle;
      this.#timer ??= setTimeout(() => this.stop(), REFUSAL_EVENT_MS).unref();
      return;
    }
    const { type, asking, position, obstacle } = change;
    const { terminalId, name, priority, labels } = asking;
    const data = { name, priority, position, obstacle };
    this.#log.append({ type: `admission.${type}`, terminalId, data }, labels);
  }

  /** Logs the refusals that wait to be logged together. Call before the log is closed. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#obstacle)
      this.#log.append(
        { type: 'admission.refused', data: { refused: this.#refused, obstacle: this.#obstacle } },
        {},
      );
    this.#refused = 0;
    this.#obstacle = undefined;
  }
}
