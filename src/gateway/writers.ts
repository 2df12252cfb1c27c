import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../actors/access/access.js';
import type { Ask } from '../actors/input-gate/ask.js';
import type { GateWish, WhenBusy } from '../contract/input-gate.js';
import type { Principal } from '../contract/principal.js';
import type { InputOrigin } from '../contract/terminal.js';
import type { Callers } from './callers.js';
import type { IdempotencyKeys } from './idempotency.js';
import type { LongPolls } from './long-polls.js';
import { originOf } from './origin.js';
import type { TerminalsPort } from './ports.js';

export interface WritersOptions {
  callers: Pick<Callers, 'now'>;
  terminals: Pick<TerminalsPort, 'get'>;
  access: Pick<Access, 'refusal'>;
  /** Returns the setting `input.protectHumans`. */
  protectHumans: () => 'off' | Exclude<WhenBusy, 'force'>;
}

type Sender = Pick<FastifyRequest, 'headers' | 'isFromDashboard' | 'rights' | 'fromMachine'> & {
  raw: { socket: FastifyRequest['socket'] };
};

/** Knows the writer of a request, and how the request wants to pass the gate. */
export class Writers {
  readonly #options: WritersOptions;

  constructor(options: WritersOptions) {
    this.#options = options;
  }

  /** Returns the sender of a request. */
  who(request: Sender, origin: InputOrigin = originOf(request)): Principal {
    const { callers, terminals } = this.#options;
    const caller = callers.now({ socket: request.raw.socket, headers: request.headers });
    const { pid, verified } = caller;
    const { holder, sees } = request.rights;
    // A header may name any terminal: without this, a client could read the names of terminals that it must not know of.
    const isNamed = caller.terminalId !== null && (verified || sees(caller.terminalId));
    const terminalId = isNamed ? caller.terminalId : null;
    return {
      kind: origin === 'api' ? (terminalId === null ? 'service' : 'agent') : origin,
      // It was running a moment ago, in this turn.
      ...(terminalId !== null && { name: terminals.get(terminalId).name, terminalId }),
      ...(holder && { token: { id: holder.id, name: holder.name } }),
      ...(pid !== null && { pid }),
      ...(request.fromMachine !== undefined && { machineId: request.fromMachine }),
      verified,
    };
  }

  /** Returns how the input of a request wants to pass the gate; `signal` ends its wait in line. */
  ask(wish: GateWish, request: Sender, origin?: InputOrigin, signal?: AbortSignal): Ask {
    const { whenBusy, queueMs, ifAgent, lease } = wish;
    const key = request.headers['idempotency-key'];
    const from = { who: () => this.who(request, origin), request: typeof key === 'string' ? key : undefined };
    const refusal = (id: string) => this.#options.access.refusal('type', request.rights.holder, id);
    return { whenBusy, queueMs, ifAgent, lease, signal, refusal, ...from };
  }

  /** Returns whether input with this wish may have to wait in line. */
  mayWait({ whenBusy }: GateWish): boolean {
    return (whenBusy ?? this.#options.protectHumans()) === 'queue';
  }

  /**
   * Calls `work` with how a request wants to pass the gate. If it waits in line, it leaves the line when its client
   * leaves, and with an Idempotency-Key when the clients of its repetitions have left, too: no client expects its text
   * to be typed after it has left.
   */
  through<Answer>(
    { polls, keys }: { polls: LongPolls; keys: Pick<IdempotencyKeys, 'everybodyLeft'> },
    [request, reply]: [FastifyRequest, FastifyReply],
    wish: GateWish,
    work: (ask: Ask) => Promise<Answer>,
  ): Promise<Answer> {
    if (!this.mayWait(wish)) return work(this.ask(wish, request));
    const waiting = (signal: AbortSignal) => work(this.ask(wish, request, undefined, signal));
    return polls.hold(request, reply, waiting, { everybodyLeft: keys.everybodyLeft(request) });
  }
}
