import type { AgentWatch } from '../actors/agents/agent-watch.js';
import { isGone } from '../actors/screens.js';
import type { Submissions } from '../actors/waits/submissions.js';
import type { Waits } from '../actors/waits/waits.js';
import type { Readiness, WatchInputsOptions } from '../actors/watches/watch-inputs.js';
import type { LiveConfig } from '../config/live-config.js';
import { DomainError } from '../contract/errors.js';
import { ExecuteBody } from '../contract/execute.js';
import { INPUT_ERRORS } from '../contract/input-errors.js';
import { WATCH_INPUT_LOOK_MS } from '../contract/limits.js';
import type { Principal } from '../contract/principal.js';
import { WaitBody } from '../contract/wait.js';
import { keystrokesOf } from '../gateway/keystrokes.js';
import type { RunningEngine } from './engine.js';
import type { State } from './state.js';

export interface WatchInputParts {
  config: LiveConfig;
  engine: Pick<RunningEngine, 'terminals'>;
  state: Pick<State, 'commands' | 'prompts'>;
  agents: Pick<AgentWatch, 'state'>;
  waits: Pick<Waits, 'wait'>;
  submissions: Pick<Submissions, 'hasDraft'>;
}

const A_WATCH: Principal = { kind: 'service', name: 'a watch', verified: true };

/** Returns how the lines of watches are typed, and when. */
export function watchInputs(parts: WatchInputParts): WatchInputsOptions {
  const { config, engine, state, agents, waits, submissions } = parts;
  const { terminals } = engine;
  const look = async (id: string, signal: AbortSignal): Promise<Readiness> => {
    if (terminals.startOf(id).exit) return { reason: 'gone' };
    const { agent, agentStatus } = await agents.state(id);
    if (agent !== null) {
      // The line would be added to the text of a prompt that stalled.
      if (state.prompts.blocked.has(id)) return { reason: 'busy' };
      if (agentStatus === 'idle') return { ready: 'agent' };
      return { reason: agentStatus === 'waiting' ? 'waiting' : agentStatus === null ? 'unknown' : 'busy' };
    }
    if (state.commands.shellStatus(id).integration === 'none') return { reason: 'unknown' };
    // The wait also finds out what a shell makes of input that nobody has reported on.
    const body = WaitBody.parse({ until: 'prompt', timeoutMs: WATCH_INPUT_LOOK_MS, maxBytes: 0 });
    const { done, waitedBy } = await waits.wait(id, body, signal);
    if (!done) return { reason: 'busy' };
    return waitedBy === 'integration' ? { ready: 'shell' } : { reason: 'unknown' };
  };
  return {
    hasDraft: (id) => submissions.hasDraft(id),
    readiness: (id, signal) =>
      look(id, signal).catch((error: unknown): Readiness => {
        if (isGone(error)) return { reason: 'gone' };
        if (error instanceof DomainError && error.code === 'unavailable') return { reason: 'unknown' };
        throw error;
      }),
    type: async (id, text, into, once) => {
      const body = ExecuteBody.parse({ prompt: text, cliType: into === 'agent' ? undefined : 'default' });
      const ask = {
        ...{ who: () => A_WATCH, whenBusy: 'refuse' as const },
        ...(into === 'agent' && { ifAgent: ['idle' as const] }),
      };
      try {
        await terminals.type(id, keystrokesOf(body, config.current.cliTypes), 'api', { once, ask });
        return true;
      } catch (error) {
        // Somebody else types there, or the agent has begun to work meanwhile.
        if (error instanceof DomainError && error.code in INPUT_ERRORS) return false;
        throw error;
      }
    },
  };
}
