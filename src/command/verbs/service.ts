import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { NoServiceError, type ServiceFacts } from '../../client/index.js';
import { resolvePaths } from '../../config/paths.js';
import { serviceFacts } from '../../config/service-facts.js';
import type { CommonOptions, Context } from '../context.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { type FormatOptions, OUTPUT, printFacts } from '../format.js';
import { tailCommand } from '../service/log-file.js';
import { installed, isManaged, type ServiceManager } from '../service/manager.js';
import { type Step, scriptOf, take } from '../service/steps.js';
import { managerOf } from '../service/this-manager.js';
import { shellLine } from '../shell-line.js';
import { startService } from '../start-service.js';
import { verb } from '../verb.js';
import { counted, ended, refuseElsewhere } from './stop.js';

const DRY_RUN = 'print files and commands as a shell script, and change nothing';
const INSTALL_FIRST = 'auto-terminal service install installs it';
/** Lines of the log that are printed by default. */
const LINES = '50';

/** `auto-terminal service`: the service under systemd or launchd. */
export function service(context: Context): Command {
  return new Command('service')
    .description('Have systemd or launchd run the service of this user')
    .addCommand(install(context))
    .addCommand(uninstall(context))
    .addCommand(status(context))
    .addCommand(logs(context));
}

function install(context: Context): Command {
  return verb(
    'install',
    'Install the service for this user, with the folders, ports and PATH of this shell, and start it',
  )
    .option('--linger', 'run it from boot on, and after you have logged out (systemd)')
    .option('--dry-run', DRY_RUN)
    .action(async ({ linger = false, dryRun = false, ...options }: CommonOptions & InstallOptions) => {
      refuseElsewhere(context, options);
      const manager = await managerOf(context);
      const lingering = linger ? manager.lingerSteps() : [];
      const running = await runningService(context, options);
      if (dryRun) {
        const stopping = running && isManaged(running.args) ? [stopped(true)] : [];
        const steps = [...stopping, ...manager.installSteps(), ...manager.startSteps(), ...lingering];
        return context.write(scriptOf(steps));
      }
      await checkReachable(manager);
      checkOurs(manager);
      if (running) {
        refuseUnmanaged(running);
        await ended(context, options, 'SIGUSR2');
      }
      await take(context, manager.installSteps());
      await startService(context, options);
      const { length } = await context.client(options).terminals.list({ signal: context.signal });
      context.say(
        `auto-terminal: ${manager.name} runs the service, with ${counted(length)}: ${manager.mainFile}`,
      );
      await take(context, lingering);
      const [advised] = linger ? [] : manager.lingerSteps();
      if (advised?.kind === 'run')
        context.say(
          `The service and its terminals end when you log out of all sessions. To have it run from boot on: ${shellLine(advised.command)}`,
        );
    });
}

interface InstallOptions {
  linger?: boolean;
  dryRun?: boolean;
}

function uninstall(context: Context): Command {
  return verb('uninstall', 'Stop the service, close its terminals, and remove it from systemd or launchd')
    .option('--keep', 'leave the terminals running; the next start of the service finds them')
    .option('--dry-run', DRY_RUN)
    .action(
      async ({
        keep = false,
        dryRun = false,
        ...options
      }: CommonOptions & { keep?: boolean; dryRun?: boolean }) => {
        refuseElsewhere(context, options);
        const manager = await managerOf(context);
        if (installed(manager) === 'no') throw notInstalled(manager);
        checkOurs(manager);
        const running = await runningService(context, options);
        const isRunning = running !== undefined && isManaged(running.args);
        const steps = manager.uninstallSteps({ isKept: keep });
        if (dryRun) return context.write(scriptOf([...(isRunning ? [stopped(keep)] : []), ...steps]));
        await checkReachable(manager);
        const done = isRunning && (await ended(context, options, keep ? 'SIGUSR2' : 'SIGTERM'));
        await take(context, steps);
        const closed = done && done.leftHost !== undefined ? 'not known to be closed' : 'closed';
        const fate = done ? `; ${counted(done.terminals)} ${keep ? 'left running' : closed}` : '';
        context.say(`auto-terminal: the service is no longer installed${fate}`);
      },
    );
}

function status(context: Context): Command {
  return verb('status', 'Show what is installed, and whether it runs')
    .addOption(OUTPUT)
    .action(async (options: CommonOptions & FormatOptions) => {
      refuseElsewhere(context, options);
      const manager = await managerOf(context);
      if (installed(manager) === 'no') throw notInstalled(manager);
      checkOurs(manager);
      await checkReachable(manager);
      const { isActive, facts } = await manager.state();
      const running = await runningService(context, options);
      const told = {
        ...{ manager: manager.name, file: manager.mainFile },
        ...facts,
        ...(running &&
          !isManaged(running.args) && { note: `another service runs, as process ${running.pid}` }),
      };
      await printFacts(context, told, { ...told, active: isActive }, options, manager.mainFile);
      if (!isActive) context.exitCode = EXIT.noService;
    });
}

function logs(context: Context): Command {
  return verb('logs', 'Print the log of the service, and with systemd that of its pty host')
    .option('-f, --follow', 'go on as the log grows')
    .option('-n, --lines <number>', 'last lines to print', linesOf, LINES)
    .action(async (options: CommonOptions & { follow?: boolean; lines: string }) => {
      refuseElsewhere(context, options);
      const { follow: isFollowed = false, lines } = options;
      const manager = await managerOf(context);
      const isOurs = installed(manager) === 'ours';
      await passedOn(
        context,
        isOurs
          ? manager.logCommand({ lines, isFollowed })
          : tailCommand(logOfDetached(context), { lines, isFollowed }),
      );
    });
}

/** Returns the log of a service that a verb has started. Throws if there is none. */
function logOfDetached({ env }: Context): string {
  const { dataFolder } = resolvePaths({ env, platform: process.platform, tmpFolder: tmpdir() });
  const file = join(dataFolder, 'service.log');
  if (existsSync(file)) return file;
  throw new CommandError(
    EXIT.notFound,
    'no-log',
    'The service is not installed and has left no log',
    INSTALL_FIRST,
  );
}

/** Runs a program in place of this verb, and passes on its output and exit code. */
async function passedOn(context: Context, [program, ...args]: readonly [string, ...string[]]): Promise<void> {
  const child = spawn(program, args, { env: context.env, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  context.exitCode = code ?? EXIT.failed;
}

/** Throws if the running service is not the manager's: two services would use the same folders. */
function refuseUnmanaged({ pid, args }: ServiceFacts): void {
  if (isManaged(args)) return;
  throw new CommandError(
    EXIT.conflict,
    'runs-already',
    `The service runs already, as process ${pid} and not by a service manager`,
    'auto-terminal stop --keep ends it and leaves its terminals to the next one; then try again',
  );
}

/** Resolves with the facts that this user's service has written down, if it answers. */
async function runningService(context: Context, options: CommonOptions): Promise<ServiceFacts | undefined> {
  const facts = serviceFacts(context.env);
  if (facts === undefined) return undefined;
  try {
    const { instanceId } = await context.client(options).health({ signal: context.signal });
    return instanceId === facts.instanceId ? facts : undefined;
  } catch (error) {
    if (error instanceof NoServiceError) return undefined;
    throw error;
  }
}

async function checkReachable(manager: ServiceManager): Promise<void> {
  const fault = await manager.fault();
  if (fault === undefined) return;
  throw new CommandError(
    EXIT.failed,
    'no-service-manager',
    `${manager.name} does not answer for this user: ${fault}`,
    'Log in as this user, not by su or sudo; without a service manager, auto-terminal serve runs the service in the foreground',
  );
}

/** Throws if the service is installed for other folders than the caller's. */
function checkOurs(manager: ServiceManager): void {
  if (installed(manager) !== 'other') return;
  throw new CommandError(
    EXIT.conflict,
    'installed-elsewhere',
    `The service is installed for another data folder: ${manager.mainFile}`,
    'Set AUTO_TERMINAL_HOME to the one that this file names',
  );
}

function notInstalled({ name }: ServiceManager): CommandError {
  return new CommandError(
    EXIT.notFound,
    'not-installed',
    `No service is installed for ${name}`,
    INSTALL_FIRST,
  );
}

function stopped(isKept: boolean): Step {
  return { kind: 'run', command: ['auto-terminal', 'stop', ...(isKept ? ['--keep'] : [])] };
}

function linesOf(text: string): string {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It is a number of lines.');
  return text;
}
