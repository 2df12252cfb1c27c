import { Counter, Gauge, Registry } from 'prom-client';

const PREFIX = 'auto_terminal_';

/**
 * The page of one scrape. It is made anew each time: the sources do the counting, and concurrent scrapes share nothing.
 */
export class Page {
  readonly #registry = new Registry();

  counter(name: string, help: string, value: number): void {
    new Counter({ name: PREFIX + name, help, registers: [this.#registry] }).inc(value);
  }

  gauge(name: string, help: string, value: number): void {
    new Gauge({ name: PREFIX + name, help, registers: [this.#registry] }).set(value);
  }

  /** Writes one metric for several things, distinguished by `label`; leaves out undefined values. */
  family(
    kind: typeof Counter | typeof Gauge,
    [name, help, label]: [name: string, help: string, label: string],
    values: Iterable<[thing: string, value: number | undefined]>,
  ): void {
    const metric = new kind({ name: PREFIX + name, help, labelNames: [label], registers: [this.#registry] });
    for (const [thing, value] of values) {
      if (value !== undefined) metric.inc({ [label]: thing }, value);
    }
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
