import type { AuditFacts, AuditText } from '../../contract/audit.js';
import type { Principal } from '../../contract/principal.js';
import type { InputPart } from '../../contract/terminal.js';
import type { SecretFinder } from '../../workers/redaction/secret-finder.js';

/** Finds secrets in text of one terminal. */
export type TypedSecrets = Pick<SecretFinder, 'find' | 'markerOf' | 'cut'>;

/** The part of `Audit` that lines about typing need. */
export interface AuditSink {
  readonly isOn: boolean;
  /** Whether an action that cannot be logged is refused. */
  readonly isRequired: boolean;
  readonly text: AuditText;
  secretsOf(terminalId: string): TypedSecrets;
  begin(facts: AuditFacts): number | undefined;
  add(facts: AuditFacts): number | undefined;
}

/** Input that is about to be sent. */
export interface AuditedInput {
  terminalId: string;
  parts: readonly InputPart[];
  by: Principal;
  /** Idempotency-Key of its request. */
  request?: string | undefined;
}

/** The fate of input that was sent: call each method once its event is known. */
export interface AuditedSend {
  /** The terminal has taken it. `isHidden`: its program read without showing what is typed. */
  written(isHidden: boolean): void;
  /** The request was answered. `isRepeated`: an earlier request had typed it, so it was not typed again. */
  ended(outcome: { fault?: unknown; isRepeated?: boolean }): void;
}
