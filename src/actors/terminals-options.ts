import type { Logger } from 'pino';
import type { AdmissionOptions } from './admission/admission.js';
import type { AgentGuardOptions } from './input-gate/agent-guard.js';
import type { GateSettings } from './input-gate/ask.js';
import type { NewTerminalOptions } from './new-terminal.js';
import type { EngineOptions } from './pty-host-supervisor.js';
import type { SentInputOptions } from './sent-input.js';
import type { Shards } from './shards.js';
import type { OpenPlan, ShardsOptions } from './shards-options.js';
import type { TerminalRecord } from './terminal-record.js';

type ShardCallbacks = Parameters<EngineOptions['startShards']>[0] & Pick<ShardsOptions, 'openPlan'>;

export interface TerminalsOptions
  extends NewTerminalOptions,
    Pick<EngineOptions, 'connectHost' | 'onGaveUp'>,
    AgentGuardOptions {
  startShards: (callbacks: ShardCallbacks) => Shards;
  /** Returns the plan by which a shard opens a terminal. */
  openPlan: (id: string, terminal: Pick<TerminalRecord, 'meta' | 'exit'>) => OpenPlan;
  /** Returns since when the pty host listens; undefined if that is unknown. */
  hostSince: () => Promise<Date | undefined>;
  /** Milliseconds for which an exited terminal still answers reads. */
  keepExitedMs: () => number;
  /** The limits of new terminals, and the memory that they look at. */
  admission: Pick<AdmissionOptions, 'settings' | 'memory'>;
  /** The audit log of typed text. */
  audit: SentInputOptions['audit'];
  /** Returns when programs wait for people at the keys. */
  inputSettings: () => GateSettings;
  logger: Logger;
}
