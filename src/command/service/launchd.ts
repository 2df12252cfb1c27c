import { join } from 'node:path';
import type { Context } from '../context.js';
import type { Definition } from './definition.js';
import { lastLineOf, tailCommand } from './log-file.js';
import type { ManagedState, ServiceManager } from './manager.js';
import { LABEL, logEntry, logFileOf, plist } from './plist.js';
import { ran, type Step } from './steps.js';

/** launchd of macOS, in the session of the user who is logged in. Written from the manual of launchd, and never run. */
export class Launchd implements ServiceManager {
  readonly name = 'launchd';
  readonly mainFile: string;
  readonly mark: string;
  readonly #context: Pick<Context, 'env' | 'signal'>;
  readonly #definition: Definition;
  readonly #domain: string;

  constructor(
    context: Pick<Context, 'env' | 'signal'>,
    definition: Definition,
    uid = process.getuid?.() ?? 0,
  ) {
    this.#context = context;
    this.#definition = definition;
    this.#domain = `gui/${uid}`;
    this.mainFile = join(definition.home, 'Library/LaunchAgents', `${LABEL}.plist`);
    this.mark = logEntry(definition);
  }

  async fault(): Promise<string | undefined> {
    const { code, stderr } = await ran(this.#context, ['launchctl', 'print', this.#domain]);
    return code === 0 ? undefined : stderr.split('\n')[0] || 'launchctl fails';
  }

  installSteps(): readonly Step[] {
    return [
      { kind: 'write', path: this.mainFile, text: plist(this.#definition) },
      // launchd reads the file anew only after it has forgotten the service.
      { ...this.#launchctl('bootout', this.#target), mayFail: true },
      this.#launchctl('enable', this.#target),
    ];
  }

  startSteps(): readonly Step[] {
    return [
      // Fails if the service is known already.
      { ...this.#launchctl('bootstrap', this.#domain, this.mainFile), mayFail: true },
      this.#launchctl('kickstart', this.#target),
    ];
  }

  uninstallSteps(): readonly Step[] {
    return [
      { ...this.#launchctl('bootout', this.#target), mayFail: true },
      { kind: 'remove', path: this.mainFile },
    ];
  }

  lingerSteps(): readonly Step[] {
    return [];
  }

  async state(): Promise<ManagedState> {
    const { code, stdout } = await ran(this.#context, ['launchctl', 'print', this.#target]);
    const printed = (name: string) => new RegExp(`^\\s*${name} = (.+)$`, 'm').exec(stdout)?.[1];
    const state = code === 0 ? (printed('state') ?? 'unknown') : 'not loaded';
    const pid = printed('pid');
    return {
      isActive: state === 'running',
      pid: pid === undefined ? undefined : Number(pid),
      // launchd starts it again, at the earliest 10 s after the last start.
      hasEnded: false,
      facts: { service: state, starts: 'at login', ends: 'when you log out', ...(pid && { process: pid }) },
    };
  }

  lastLine(): Promise<string> {
    return Promise.resolve(lastLineOf(logFileOf(this.#definition)));
  }

  logCommand({ lines, isFollowed }: { lines: string; isFollowed: boolean }): readonly [string, ...string[]] {
    return tailCommand(logFileOf(this.#definition), { lines, isFollowed });
  }

  get #target(): string {
    return `${this.#domain}/${LABEL}`;
  }

  #launchctl(...args: readonly string[]): Step & { kind: 'run' } {
    return { kind: 'run', command: ['launchctl', ...args] };
  }
}
