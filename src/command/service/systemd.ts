import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { HOST_UNIT } from '../../workers/pty-host/client/host-command.js';
import type { Context } from '../context.js';
import type { Definition } from './definition.js';
import type { ManagedState, ServiceManager } from './manager.js';
import { ran, type Step } from './steps.js';
import { dataFolderLine, hostUnit, SERVICE_UNIT, serviceUnit } from './units.js';

const PROPERTIES = 'Id,LoadState,UnitFileState,ActiveState,SubState,Result,MainPID,Job';

/** systemd's manager of this user. */
export class Systemd implements ServiceManager {
  readonly name = 'systemd';
  readonly mainFile: string;
  readonly mark: string;
  readonly #context: Pick<Context, 'env' | 'signal'>;
  readonly #definition: Definition;
  readonly #folder: string;
  readonly #hostFile: string;

  constructor(context: Pick<Context, 'env' | 'signal'>, definition: Definition) {
    this.#context = context;
    this.#definition = definition;
    this.#folder = join(definition.configHome, 'systemd/user');
    this.#hostFile = join(this.#folder, HOST_UNIT);
    this.mainFile = join(this.#folder, SERVICE_UNIT);
    this.mark = dataFolderLine(definition);
  }

  async fault(): Promise<string | undefined> {
    const { code, stderr } = await this.#systemctl('show', '--property=Version');
    return code === 0 ? undefined : (stderr.split('\n')[0] ?? 'systemctl fails');
  }

  installSteps(): readonly Step[] {
    return [
      { kind: 'write', path: this.#hostFile, text: hostUnit(this.#definition) },
      { kind: 'write', path: this.mainFile, text: serviceUnit(this.#definition) },
      systemctl('daemon-reload'),
      systemctl('enable', SERVICE_UNIT),
    ];
  }

  startSteps(): readonly Step[] {
    // Without it, systemd refuses units that were started often of late, also by people.
    return [FORGET, systemctl('start', SERVICE_UNIT)];
  }

  uninstallSteps({ isKept }: { isKept: boolean }): readonly Step[] {
    return [
      systemctl('disable', '--now', SERVICE_UNIT),
      ...(isKept ? [] : [{ ...systemctl('stop', HOST_UNIT), mayFail: true }]),
      { kind: 'remove', path: this.mainFile },
      { kind: 'remove', path: this.#hostFile },
      systemctl('daemon-reload'),
      FORGET,
    ];
  }

  lingerSteps(): readonly Step[] {
    return this.#lingers ? [] : [{ kind: 'run', command: ['loginctl', 'enable-linger'] }];
  }

  async state(): Promise<ManagedState> {
    const { stdout } = await this.#systemctl('show', `--property=${PROPERTIES}`, SERVICE_UNIT, HOST_UNIT);
    const [service = {}, host = {}] = stdout.trim().split('\n\n').map(propertiesOf);
    const pid = Number(service.MainPID ?? 0) || undefined;
    const isActive = service.ActiveState === 'active';
    return {
      isActive,
      pid,
      // Between two tries the unit is inactive, too; a job is then waiting to start it.
      hasEnded:
        service.ActiveState === 'failed' || (service.ActiveState === 'inactive' && !Number(service.Job)),
      facts: {
        service: wordsOf(service),
        'pty host': wordsOf(host) + (isActive && host.ActiveState === 'inactive' ? ELSEWHERE : ''),
        starts: service.UnitFileState === 'enabled' ? `at ${this.#lingers ? 'boot' : 'login'}` : 'when asked',
        ends: this.#lingers ? 'at shutdown' : 'when you log out; loginctl enable-linger changes that',
        ...(pid !== undefined && { process: String(pid) }),
      },
    };
  }

  async lastLine(): Promise<string> {
    // Only lines that its processes have written: systemd's own lines about the unit come later.
    const written = `_SYSTEMD_USER_UNIT=${SERVICE_UNIT}`;
    const { stdout } = await ran(this.#context, [...JOURNAL, '--quiet', written, '-n', '1', '-o', 'cat']);
    return stdout.trim();
  }

  logCommand({ lines, isFollowed }: { lines: string; isFollowed: boolean }): readonly [string, ...string[]] {
    const units = ['--user-unit', SERVICE_UNIT, '--user-unit', HOST_UNIT];
    return [...JOURNAL, ...units, '-n', lines, ...(isFollowed ? ['-f'] : [])];
  }

  get #lingers(): boolean {
    return existsSync(join('/var/lib/systemd/linger', userInfo().username));
  }

  #systemctl(...args: readonly string[]): ReturnType<typeof ran> {
    return ran(this.#context, ['systemctl', '--user', ...args]);
  }
}

/** Suffix for a pty host that ran before the installation: it keeps its terminals, outside the unit. */
const ELSEWHERE = '; a pty host that was started otherwise holds the terminals';

const JOURNAL = ['journalctl', '--no-pager'] as const;

function systemctl(...args: readonly string[]): Step & { kind: 'run' } {
  return { kind: 'run', command: ['systemctl', '--user', ...args] };
}

/** Makes systemd forget failures and starts. It fails where a unit is not loaded. */
const FORGET: Step = { ...systemctl('reset-failed', SERVICE_UNIT, HOST_UNIT), mayFail: true };

/** Parses the lines `Name=value` of `systemctl show`. */
function propertiesOf(block: string): Partial<Record<string, string>> {
  const pairs = block.split('\n').map((line): [string, string] => {
    const at = line.indexOf('=');
    return [line.slice(0, at), line.slice(at + 1)];
  });
  return Object.fromEntries(pairs);
}

function wordsOf({
  LoadState,
  ActiveState = 'unknown',
  SubState,
  Result,
}: Partial<Record<string, string>>): string {
  if (LoadState === 'not-found' && ActiveState === 'inactive') return 'not installed';
  const why = ActiveState === 'failed' && Result ? `, ${Result}` : '';
  return `${ActiveState} (${SubState}${why})`;
}
