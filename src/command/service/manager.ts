import { existsSync, readFileSync } from 'node:fs';
import type { Step } from './steps.js';

/** State of the service as its manager knows it. */
export interface ManagedState {
  isActive: boolean;
  /** Whether the manager does not start it again by itself. */
  hasEnded: boolean;
  /** Its process, if the manager knows of one. */
  pid: number | undefined;
  /** For people, in the order of their importance. */
  facts: Readonly<Record<string, string>>;
}

/** The program of the system that starts services: systemd's manager of this user, or launchd. */
export interface ServiceManager {
  name: 'systemd' | 'launchd';
  /** File whose presence means that the service is installed. */
  mainFile: string;
  /** Text that this file contains if it is for the data folder of the caller. */
  mark: string;
  /** Resolves with the reason if the manager cannot be reached. */
  fault(): Promise<string | undefined>;
  /** Steps that install the service, which does not run. */
  installSteps(): readonly Step[];
  /** Steps that start an installed service. */
  startSteps(): readonly Step[];
  /** Steps that end the service and remove it. */
  uninstallSteps(options: { isKept: boolean }): readonly Step[];
  /** Steps for a service that outlives the last session of its user. */
  lingerSteps(): readonly Step[];
  state(): Promise<ManagedState>;
  /** Resolves with the last line of the log; empty if that cannot be read. */
  lastLine(): Promise<string>;
  /** Command that prints the log. */
  logCommand(options: { lines: string; isFollowed: boolean }): readonly [string, ...string[]];
}

/** Whether the service is installed: for the caller's data folder, for another one, or not at all. */
export function installed({ mainFile, mark }: ServiceManager): 'ours' | 'other' | 'no' {
  if (!existsSync(mainFile)) return 'no';
  return readFileSync(mainFile, 'utf8').includes(mark) ? 'ours' : 'other';
}

const FLAG = '--managed-by';

/** Returns whether a service with these arguments was started by a service manager. */
export function isManaged(args: readonly string[]): boolean {
  return args.includes(FLAG);
}

/** Returns the arguments without `--managed-by` and its value, for a service that no service manager starts. */
export function withoutManager(args: readonly string[]): string[] {
  const at = args.indexOf(FLAG);
  return args.filter((_, index) => at === -1 || (index !== at && index !== at + 1));
}
