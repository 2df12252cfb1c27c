import { HOST_UNIT, hostArguments } from '../../workers/pty-host/client/host-command.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { SERVICE_FLAGS } from '../programs.js';
import type { Definition } from './definition.js';
import { canBeProgram, execLine, quotedValue } from './systemd-words.js';

export const SERVICE_UNIT = 'auto-terminal.service';

/** Variables by which systemd describes the service's own process; terminals would inherit them. */
const OF_SYSTEMD = ['INVOCATION_ID', 'JOURNAL_STREAM', 'SYSTEMD_EXEC_PID', 'MANAGERPID'];

/** Open files: terminals take two each. systemd lowers the number to the user's limit. */
const MAX_FILES = 1_048_576;

/** The unit of the pty host, which holds the terminals and outlives the service. */
export function hostUnit({ node, hostEntry, paths, env }: Definition): string {
  const { hostSocket: socketPath, dataFolder: spillFolder } = paths;
  const command = [node, ...hostArguments(hostEntry, { socketPath, spillFolder })];
  return unit({
    Unit: ['Description=Terminals of auto-terminal'],
    Service: [
      'Type=exec',
      `ExecStart=${started(command)}`,
      ...common(env),
      '# The host ends by itself when nobody needs it. The service has it started again.',
      'Restart=no',
      '# SIGTERM is for the host alone, which ends the programs in their order. What is left then is killed.',
      'KillMode=mixed',
      'TimeoutStopSec=30',
      '# Room for the control groups of terminals.',
      'Delegate=yes',
      'TasksMax=infinity',
    ],
  });
}

/** The unit of the service. */
export function serviceUnit(definition: Definition): string {
  const { node, cli, env } = definition;
  const command = [node, ...SERVICE_FLAGS, cli, 'serve', '--managed-by', 'systemd'];
  return unit({
    Unit: [
      'Description=auto-terminal, the control plane for terminals',
      '# In this order the service ends before the host, as at a logout.',
      `Wants=${HOST_UNIT}`,
      `After=${HOST_UNIT}`,
      dataFolderLine(definition),
      'StartLimitIntervalSec=60',
      'StartLimitBurst=5',
    ],
    Service: [
      'Type=exec',
      `ExecStart=${started(command)}`,
      ...common(env),
      '# Not after exit code 0: auto-terminal stop is final.',
      'Restart=on-failure',
      'RestartSec=1',
      '# A stop closes the terminals. A restart leaves them running: SIGUSR2 is a handover.',
      'KillSignal=SIGTERM',
      'RestartKillSignal=SIGUSR2',
      'KillMode=mixed',
      'TimeoutStopSec=15',
    ],
    Install: ['WantedBy=default.target'],
  });
}

/** Returns a line that systemd ignores; it distinguishes the units of different data folders. */
export function dataFolderLine({ paths }: Pick<Definition, 'paths'>): string {
  return `X-DataFolder=${quotedValue(paths.dataFolder)}`;
}

/** Returns a command line. Throws if systemd cannot start its program. */
function started([program = '', ...args]: readonly string[]): string {
  if (canBeProgram(program)) return execLine([program, ...args]);
  throw new CommandError(
    EXIT.failed,
    'unwritable',
    `systemd starts no program whose path has quotes, backslashes or controls: ${JSON.stringify(program)}`,
    'Install Node in another folder',
  );
}

function common(env: Definition['env']): string[] {
  return [
    'WorkingDirectory=/',
    ...Object.entries(env).map(([name, value]) => `Environment=${quotedValue(`${name}=${value}`)}`),
    `UnsetEnvironment=${OF_SYSTEMD.join(' ')}`,
    `LimitNOFILE=${MAX_FILES}`,
    '# A process that the kernel ends for want of memory must not end the others.',
    'OOMPolicy=continue',
  ];
}

function unit(sections: Readonly<Record<string, readonly string[]>>): string {
  const texts = Object.entries(sections).map(([name, lines]) => `[${name}]\n${lines.join('\n')}\n`);
  return `# Written by auto-terminal service install, which writes it anew.\n\n${texts.join('\n')}`;
}
