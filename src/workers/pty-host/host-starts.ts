import type { SpawnRequest, SpawnResult } from '../../contract/host-protocol.js';
import { hrMs } from '../clock.js';
import type { HostedTerminal } from './hosted-terminal.js';
import type { TerminalMaker } from './terminal-maker.js';
import { TOO_LATE } from './wire/host-fault.js';
import type { Peer } from './wire/peer.js';
import type { Reply } from './wire/reply-capture.js';

/** One request for a terminal. */
interface Ask {
  peer: Peer;
  /** When its client stops waiting, on the clock of `hrMs`. */
  deadline: number;
  reply(answer: Reply): void;
}

interface StartsDeps {
  maker: Pick<TerminalMaker, 'make'>;
  find(id: string): HostedTerminal | undefined;
  add(terminal: HostedTerminal): void;
  close(terminal: HostedTerminal): void;
  /** Returns the service that is connected. */
  service(): Peer | null;
}

/** Starts the programs of terminals: one for each id, however often it is asked for. */
export class HostStarts {
  readonly #deps: StartsDeps;
  /** Requests for terminals whose start has begun, by the ids of the terminals. */
  readonly #underWay = new Map<string, Ask[]>();

  constructor(deps: StartsDeps) {
    this.#deps = deps;
  }

  /** Starts a program, or finds its terminal; answers then, even if the client has given up waiting meanwhile. */
  start(ask: Ask, spawn: SpawnRequest): void {
    const { id } = spawn;
    const there = this.#deps.find(id);
    const others = this.#underWay.get(id);
    if (there) ask.reply({ value: { ...resultOf(there), meta: there.meta } });
    else if (others) others.push(ask);
    else if (hrMs() > ask.deadline) ask.reply({ error: TOO_LATE });
    else this.#begin([ask], spawn);
  }

  #begin(asks: Ask[], spawn: SpawnRequest): void {
    this.#underWay.set(spawn.id, asks);
    const isWanted = () =>
      asks.some(({ peer, deadline }) => peer === this.#deps.service() && hrMs() <= deadline);
    this.#deps.maker.make(spawn, isWanted, (made) => {
      this.#underWay.delete(spawn.id);
      if ('fault' in made) {
        for (const { reply } of asks) reply({ error: made.fault });
        return;
      }
      const { meta } = made.terminal;
      this.#deps.add(made.terminal);
      const service = this.#deps.service();
      // The next service has listed the terminals already, and would never know of this one.
      if (service && asks.every(({ peer }) => peer !== service)) this.#deps.close(made.terminal);
      // The first request has brought the meta.
      for (const [place, { reply }] of asks.entries())
        reply({ value: { ...resultOf(made.terminal), ...(place > 0 && { meta }) } });
    });
  }
}

function resultOf({ handle, pid, record }: HostedTerminal): SpawnResult {
  return { handle, pid, ...record.held };
}
