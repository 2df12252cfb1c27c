import { DomainError } from '../../contract/errors.js';
import { AGENT_QUIET_MS, MAX_AGENT_LOOKS } from '../../contract/limits.js';
import type { AgentStatus } from '../../contract/wait.js';
import { hrMs } from '../../workers/clock.js';
import type { Glimpse } from '../agents/glimpse.js';
import type { TerminalRecord } from '../terminal-record.js';
import type { Hold } from './hold.js';

export interface AgentGuardOptions {
  /** Looks at the agent of a terminal, at its screen as it is now. Throws terminal-not-found, unavailable. */
  agentOf: (id: string) => Promise<Glimpse>;
  /** Called with each error that keeps a write from being typed. */
  onRefused?: (error: unknown) => void;
}

type Typed = Pick<TerminalRecord, 'id' | 'writes' | 'inFlight' | 'lastInput'>;

/** Types only if the agent in the terminal has a status that the writer has named. */
export class AgentGuard {
  readonly #options: AgentGuardOptions;

  constructor(options: AgentGuardOptions) {
    this.#options = options;
  }

  /**
   * Looks at the agent while the terminal is held, and calls `send` in the turn of the answer if the agent has one of the
   * statuses. Throws agent-waiting, agent-busy, no-agent; lease-lost; terminal-not-found and unavailable. If it throws,
   * the hold is released.
   */
  async within<Result>(
    record: Typed,
    statuses: readonly AgentStatus[],
    hold: Hold,
    send: () => Promise<Result>,
  ): Promise<Result> {
    try {
      for (let look = 0; look < MAX_AGENT_LOOKS; look++) {
        const { writes } = record;
        const beganAt = hrMs();
        const agent = await this.#options.agentOf(record.id);
        hold.check();
        // Input of other writers during the look may have changed the status of the agent.
        if (record.writes !== writes) continue;
        refuseUnless(statuses, agent, { ...record, beganAt });
        return await send();
      }
      throw new DomainError('agent-busy');
    } catch (error) {
      this.#options.onRefused?.(error);
      hold.release();
      throw error;
    }
  }
}

/**
 * Throws unless the agent has one of the statuses. An agent that has not reacted to the last input yet counts as
 * working, since its next status is not known.
 *
 * @param typed - `beganAt` is when the look began
 */
function refuseUnless(
  statuses: readonly AgentStatus[],
  { state: { agent, agentStatus }, printedAt }: Glimpse,
  { inFlight = 0, lastInput, beganAt }: Typed & { beganAt: number },
): void {
  if (agent === null) throw new DomainError('no-agent');
  const typedAt = lastInput?.hrMs ?? Number.NEGATIVE_INFINITY;
  const hasReacted = inFlight === 0 && (printedAt >= typedAt || beganAt - typedAt >= AGENT_QUIET_MS);
  const status = hasReacted ? agentStatus : 'working';
  if (status !== null && statuses.includes(status)) return;
  if (status === 'waiting') throw new DomainError('agent-waiting');
  throw new DomainError('agent-busy', `The agent is ${status ?? 'in an unknown state'}: nothing was typed`);
}
