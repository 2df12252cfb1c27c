import { createHash } from 'node:crypto';
import { hostname } from 'node:os';

/** The day of the examples. */
const DAY = Date.UTC(2026, 0, 5, 9);

/** Stands for the port of a hub, the only port that is not known before the tour. */
const FLEET_PORT = 42_034;

/** Keys whose values name the machine. */
const HOST_KEYS: ReadonlySet<string> = new Set(['hostname', 'deviceName']);

/**
 * Ids of the service, terminals, commands, clients, leases, tabs, panes, connections, groups and profiles; UUIDs;
 * tokens.
 */
const IDS =
  /\b(?:term|run|cmd|client|lease|pr|wh|wt|tok|inv|ask|grant|m|f)_[a-z0-9]+\b|\b(?:tb|pn|cn|gr)-[0-9a-f]{9,}\b|\bcustom-\d{13}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{64}\b/g;
/** A cursor: four short numbers of base 36. */
const CURSOR = /^[0-9a-z]{1,4}(?:-[0-9a-z]{1,4}){3}$/;
const MASKED_TOKEN = /^\*+[0-9a-f]{4}$/;
const WEBHOOK_SECRET = /^whsec_[\w+/]+=*$/;
const TOKEN = /^at_[\w-]{43}$/;
const RECEIVER = /^http:\/\/127\.0\.0\.1:\d+\/events$/;
const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;
const INVITE = /^at1-[\w-]+$/;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

export interface NeutralOptions {
  /** Real folders and their replacements, the longest first. */
  folders: [string, string][];
  /** Real ports and their replacements. */
  ports: [number, number][];
}

/**
 * Shows requests and answers as if from another machine: replaces values that differ from run to run, such as ids,
 * times and folders. Each value gets the same replacement in every run, as long as the earlier steps are the same.
 */
export class Neutral {
  readonly #options: NeutralOptions;
  /** Replacements of ids, cursors and process numbers. */
  readonly #shown = new Map<string, string>();
  readonly #startedAt = Date.now();
  #step = '';
  #count = 0;

  constructor(options: NeutralOptions) {
    this.#options = options;
  }

  /**
   * Returns the value without anything of this machine. The replacement of an id depends on the `step` in which the id
   * first appears.
   */
  show<Value>(step: string, value: Value): Value {
    this.#step = step;
    this.#count = 0;
    return this.#value(value, '') as Value;
  }

  #value(value: unknown, key: string): unknown {
    if (typeof value === 'string')
      return HOST_KEYS.has(key) && value === hostname() ? 'devbox' : this.#text(value);
    if (typeof value === 'number') return this.#number(value, key);
    if (Array.isArray(value)) return value.map((each) => this.#value(each, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [this.#text(name), this.#value(each, name)]),
    );
  }

  #text(text: string): string {
    if (MASKED_TOKEN.test(text)) return `${text.slice(0, -4)}c0de`;
    if (JWT.test(text)) return 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm9ueW1vdXMifQ.b3BlbnMtbm90aGluZw';
    if (WEBHOOK_SECRET.test(text)) return 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfLDQ2x4A0=';
    if (TOKEN.test(text)) return 'at_Zk3fT0cQmJ8y1xWv5nR7sB2dL9hG4pKeA6uYiOqXrMw';
    if (INVITE.test(text)) return `at1-${'c0de'.repeat(20)}`;
    if (RECEIVER.test(text)) return 'http://127.0.0.1:8080/events';
    if (CURSOR.test(text))
      return this.#once(text, (hash) => `${hash.slice(0, 3)}-${text.split('-', 2)[1]}-0-0`);
    let shown = text;
    for (const [folder, name] of this.#options.folders) shown = shown.replaceAll(folder, name);
    return shown
      .replace(IDS, (id) => this.#once(id, (hash) => idLike(id, hash)))
      .replace(TIME, (time) => new Date(this.#time(Date.parse(time))).toISOString());
  }

  #number(value: number, key: string): number {
    if (key === 'pid')
      return Number(
        this.#once(`pid ${value}`, (hash) => `${4_000 + (parseInt(hash.slice(0, 6), 16) % 5_000)}`),
      );
    if (key === 'port') return new Map(this.#options.ports).get(value) ?? FLEET_PORT;
    if (value > 1.6e12 && value < 2.6e12) return this.#time(value);
    if (Number.isInteger(value) && value > 1.6e9 && value < 2.6e9)
      return Math.round(this.#time(value * 1_000) / 1_000);
    return value;
  }

  #time(ms: number): number {
    return DAY + Math.round(ms - this.#startedAt);
  }

  #once(seen: string, show: (hash: string) => string): string {
    const known = this.#shown.get(seen);
    if (known !== undefined) return known;
    this.#count += 1;
    const shown = show(createHash('sha256').update(`${this.#step} ${this.#count}`).digest('hex'));
    this.#shown.set(seen, shown);
    return shown;
  }
}

/** Returns an id of the same kind, made from the hash. */
function idLike(id: string, hash: string): string {
  const [, prefix] =
    /^(term_|run_|cmd_|client_|lease_|pr_|wh_|wt_|tok_|inv_|ask_|grant_|m_|f_|tb-|pn-|cn-|gr-|custom-)/.exec(
      id,
    ) ?? [];
  if (prefix === 'custom-') return `custom-${DAY + (parseInt(hash.slice(0, 6), 16) % 100_000)}`;
  if (prefix !== undefined) return `${prefix}${hash.slice(0, id.length - prefix.length)}`;
  if (id.length === 64) return hash;
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
