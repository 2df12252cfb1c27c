import type { z } from 'zod';
import type { RotateBody, TokenBody } from '../contract/access.js';
import type { ConnectionBody, GroupBody, NodePlaceBody } from '../contract/canvas.js';
import type { ExecuteBody } from '../contract/execute.js';
import type { FleetExecuteBody } from '../contract/fleet.js';
import type { GrantBody, InviteBody } from '../contract/fleet-machines.js';
import type { GateWish, LeaseBody } from '../contract/input-gate.js';
import type { LayoutBody } from '../contract/layout.js';
import type { ProfileBody } from '../contract/profile.js';
import type { PromptBody, PromptState } from '../contract/prompt.js';
import type { RecordingOptions } from '../contract/recording.js';
import type { BatchRunBody } from '../contract/run.js';
import type { SearchAnswer as SearchAnswerSchema, SearchBody } from '../contract/search.js';
import type { SettingsPatch } from '../contract/settings.js';
import type {
  CreatedTerminal as CreatedSchema,
  CreateTerminal,
  UpdateTerminal,
} from '../contract/terminal.js';
import type { WaitBody } from '../contract/wait.js';
import type { WaitManyBody } from '../contract/wait-many.js';
import type { WatchBody } from '../contract/watch.js';
import type { WebhookBody, WebhookPatch } from '../contract/webhook.js';

export type { CreatedToken, OwnAccess, Token as TokenInfo } from '../contract/access.js';
export type { LimitsAnswer } from '../contract/admission.js';
export type { AgentExplanation, AgentState } from '../contract/agent.js';
export type { Health } from '../contract/answers.js';
export type { AttachedClient } from '../contract/attach.js';
export type { AuditCheck, AuditEntry, AuditQuery } from '../contract/audit.js';
export type { BatchCreateAnswer } from '../contract/batch-create.js';
export type { Caller } from '../contract/caller.js';
export type {
  CanvasGraph,
  CanvasGroup,
  CanvasNode,
  Connection,
  TerminalConnections,
} from '../contract/canvas.js';
export type { ChangesAnswer } from '../contract/changes.js';
export type { Command, CommandList, CommandOutput } from '../contract/command.js';
export type { BatchAnswer, ExecuteAnswer } from '../contract/execute.js';
export type {
  FleetClosed,
  FleetExecution,
  FleetPlace,
  FleetScreen,
  FleetTerminal,
  FleetTerminalList,
  Machine,
} from '../contract/fleet.js';
export type { UseRequest } from '../contract/fleet-consent.js';
export type {
  FleetStatus,
  Grant,
  Invite,
  JoinedMachine,
  Joining,
  JoinRequest,
  ReachedMachine,
  Right,
  RightList,
} from '../contract/fleet-machines.js';
export type { InputState, Lease as LeaseInfo, LeaseState } from '../contract/input-gate.js';
export type { LayoutTree } from '../contract/layout.js';
export type { Principal } from '../contract/principal.js';
export type { Profile } from '../contract/profile.js';
export type { Prompt as PromptInfo } from '../contract/prompt.js';
export type {
  ActiveRecording,
  ActiveRecordings,
  ExportFormat,
  RecordingInfo,
  RecordingStarted,
  RecordingStatus,
  RecordingStopped,
  RecordingSummary,
} from '../contract/recording.js';
export type { BatchRunAnswer, Run, RunHead, RunResult, RunStreamEvent, RunSummary } from '../contract/run.js';
export type { Run as ScreenRun, ScreenRows } from '../contract/screen-rows.js';
export type { SearchHit } from '../contract/search.js';
export type { ServiceFacts } from '../contract/service-facts.js';
export type { SessionAnswer } from '../contract/session.js';
export type { SettingsAnswer } from '../contract/settings.js';
export type { ProcessEntry, ProcessMetrics, SystemInfo, TmuxStatus } from '../contract/system.js';
export type {
  Capture,
  InputOrigin,
  OutputPage,
  Reflowed,
  Snapshot,
  Terminal as TerminalInfo,
  TerminalSize,
} from '../contract/terminal.js';
export type { HeldLimits } from '../contract/terminal-limits.js';
export type { TerminalView } from '../contract/terminal-view.js';
export type { AgentStatus, WaitAnswer } from '../contract/wait.js';
export type { Occurrence, WaitManyAnswer, WaitManyResult } from '../contract/wait-many.js';
export type { Watch as WatchInfo, WatchAction } from '../contract/watch.js';
export type { CreatedWebhook, Webhook as WebhookInfo, WebhookAttempt } from '../contract/webhook.js';

/** Bodies of requests: fields with a default may be left out. */
export type CreateOptions = z.input<typeof CreateTerminal>;
export type UpdateOptions = z.input<typeof UpdateTerminal>;
export type PromptOptions = Omit<z.input<typeof ExecuteBody>, 'prompt'>;
/** Conditions for typing: see `whenBusy`, `queueMs`, `ifAgent`, `lease` of the API. */
export type GateOptions = GateWish;
export type LeaseOptions = NonNullable<z.input<typeof LeaseBody>>;
export type WaitOptions = z.input<typeof WaitBody>;
export type RunOptions = Pick<
  z.input<typeof BatchRunBody>,
  'waitFor' | 'timeoutMs' | 'maxBytes' | 'idleMs' | 'machines' | 'whenLeft'
> &
  GateOptions;
export type OwnCommands = NonNullable<z.input<typeof BatchRunBody>['runs']>;
export type WaitManyOptions = Omit<z.input<typeof WaitManyBody>, 'terminalIds' | 'selector'>;
export type SearchOptions = Omit<z.input<typeof SearchBody>, 'query'>;
export type RecordOptions = z.input<typeof RecordingOptions>;
export type ProfileOptions = z.input<typeof ProfileBody>;
export type SettingsChange = z.input<typeof SettingsPatch>;
export type LayoutOptions = z.input<typeof LayoutBody>;
export type ConnectionOptions = z.input<typeof ConnectionBody>;
export type PlaceOptions = z.input<typeof NodePlaceBody>;
export type GroupOptions = z.input<typeof GroupBody>;
/** Conditions under which a queued prompt is typed. */
export type QueueOptions = Omit<z.input<typeof PromptBody>, 'prompt'>;
/** Filter of the listed prompts. */
export type PromptsQuery = { selector?: string | undefined; state?: PromptState | undefined };
export type WatchForOptions = z.input<typeof WatchBody>;
export type TokenOptions = z.input<typeof TokenBody>;
export type RotateOptions = NonNullable<z.input<typeof RotateBody>>;
export type WebhookOptions = z.input<typeof WebhookBody>;
export type WebhookChange = z.input<typeof WebhookPatch>;
export type FleetExecuteOptions = z.input<typeof FleetExecuteBody>;

/** Answers that the contract has only as schemas. */
export type SearchAnswer = z.infer<typeof SearchAnswerSchema>;
export type CreatedTerminal = z.infer<typeof CreatedSchema>;

/** Options of an invitation. */
export type InviteOptions = z.input<typeof InviteBody>;

/** Rights to grant to a machine. */
export type GrantOptions = z.input<typeof GrantBody>;
