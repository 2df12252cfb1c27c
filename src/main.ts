// The service process: arguments, signals, exit codes.
import { once } from 'node:events';
import { availableParallelism, tmpdir } from 'node:os';
import { isatty } from 'node:tty';
import type { Logger } from 'pino';
import { startApp } from './app.js';
import { ConfigError } from './config/config-error.js';
import { HELP, parseFlags } from './config/flags.js';
import { LiveConfig } from './config/live-config.js';
import { createLogger } from './config/logger.js';
import { overridesOf } from './config/overrides.js';
import { preparePaths, resolvePaths } from './config/paths.js';
import { serviceFacts } from './config/service-facts.js';
import { StartLock } from './config/start-lock.js';
import { refuseNewerState } from './config/state-formats.js';
import { DomainError, ERRORS } from './contract/errors.js';
import { APP_NAME, VERSION } from './contract/version.js';
import { PortTakenError } from './gateway/port-owner.js';
import { exitAtOnce } from './workers/exit-at-once.js';
import { releaseWhenQuiet } from './workers/memory-release.js';
import { HOST_UNIT } from './workers/pty-host/client/host-command.js';
import { HostBusy, HostProtocolMismatch } from './workers/pty-host/client/host-errors.js';
import { shortenTimeSlice } from './workers/time-slice.js';

/** Milliseconds after a signal within which everything must close; then the process kills itself. */
const STOP_DEADLINE_MS = 5_000;

/** Exit code for wrong arguments and variables, the same as of every verb. */
const WRONG_ARGUMENTS = 2;

/** The signal at which the service ends and leaves its terminals to the next one. */
const HANDOVER = 'SIGUSR2';

/** The signal that says that the person's own terminal is gone, which is no wish to close the terminals here. */
const HANGUP = 'SIGHUP';

/** Whether the service was started in the foreground of a terminal. `nohup` and most supervisors give it other outputs. */
const IS_IN_TERMINAL = isatty(1) || isatty(2);

/** Faults that the user can fix: only their message is printed, without a stack. */
const EXPECTED = [ConfigError, PortTakenError, HostBusy, HostProtocolMismatch];

function isExpected(error: unknown): error is Error {
  const isPortTaken = error instanceof DomainError && error.code === 'port-taken';
  return isPortTaken || EXPECTED.some((expected) => error instanceof expected);
}

const logger = openLogger();

try {
  const flags = given(() => parseFlags(process.argv.slice(2)));
  if (flags.help) process.stdout.write(HELP);
  else if (flags.version) process.stdout.write(`${VERSION}\n`);
  else await run(flags);
} catch (error) {
  fail(error);
}

async function run(flags: ReturnType<typeof parseFlags>): Promise<void> {
  const stopping = stopBySignal();
  const paths = resolvePaths({ env: process.env, platform: process.platform, tmpFolder: tmpdir() });
  const overrides = given(() => overridesOf({ flags, env: process.env }));
  // Before anything: no file of a later release may change, and no pty host may start beside them.
  await refuseNewerState(paths);
  await preparePaths(paths);
  const starting = new StartLock(paths.dataFolder);
  try {
    starting.take();
  } catch (err) {
    logger.warn({ err }, 'other commands cannot see that the service starts, and may start another one');
  }
  process.once('exit', () => starting.release());
  const config = await LiveConfig.open({
    configFile: paths.configFile,
    machine: { platform: process.platform, cores: availableParallelism() },
    overrides,
  });
  if (config.unknownKeys.length > 0)
    logger.warn({ keys: config.unknownKeys }, `${paths.configFile} has keys that are not settings`);
  if (stopping.aborted) process.exit(0);
  const args = process.argv.slice(2);
  const hostUnit = flags['managed-by'] === 'systemd' ? HOST_UNIT : undefined;
  const app = await startApp({
    ...{ config, paths, env: process.env, args, hostUnit, logger },
    ...{ onFatal: fail, stopping },
  });
  if (!stopping.aborted) {
    const { url, mcpUrl, dashboardUrl } = app;
    const mcp = mcpUrl === undefined ? '' : ` mcp=${mcpUrl}`;
    const dashboard = dashboardUrl === undefined ? '' : ` dashboard=${dashboardUrl}`;
    releaseWhenQuiet();
    shortenTimeSlice();
    // The reader of stdout may be gone, which is no reason to end.
    process.stdout.on('error', () => undefined);
    starting.release();
    process.stdout.write(`${APP_NAME} ${VERSION} ready api=${url}${mcp}${dashboard}\n`);
    await once(stopping, 'abort');
  }
  if (stopping.reason === HANDOVER) {
    await app.handOver();
    exitAtOnce();
  } else await app.stop();
  process.exit(0);
}

/** Returns advice for the user, where the message gives none. */
function fixOf(error: Error): string {
  if (error instanceof HostBusy)
    return (
      `. ${APP_NAME} runs already, or is starting: \`${APP_NAME} status\` shows it, and \`${APP_NAME} stop\` ends it. ` +
      'A second service needs a home of its own: AUTO_TERMINAL_HOME'
    );
  const isPortTaken = error instanceof PortTakenError || error instanceof DomainError;
  if (!isPortTaken) return '';
  const instanceId = serviceFacts(process.env)?.instanceId;
  // The service of this home, which the message names by its id.
  if (instanceId !== undefined && error.message.includes(instanceId))
    return `. It is yours: \`${APP_NAME} status\` shows it, and \`${APP_NAME} stop\` ends it`;
  // The user's own service may have another home.
  const own = `If your ${APP_NAME} runs already, \`${APP_NAME} stop\` ends it. `;
  return `. ${own}${ERRORS['port-taken'].fix}`;
}

function openLogger(): Logger {
  try {
    return createLogger(process.env);
  } catch (error) {
    return fail(error);
  }
}

/**
 * Returns a signal that the first SIGINT, SIGTERM or {@link HANDOVER} aborts, with its name; {@link HANGUP} counts as a
 * handover, or as nothing without a terminal: Node has undone that `nohup` ignores it. Set up before the start, since a
 * stop in the middle of a start must also stop the pty host.
 */
function stopBySignal(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', HANDOVER, HANGUP] as const) {
    // The handler stays installed: a second Ctrl+C would otherwise end the process in the middle of closing.
    process.on(signal, () => {
      if (stopping.signal.aborted) return;
      if (signal === HANGUP && !IS_IN_TERMINAL) return logger.info({ signal }, 'served on');
      logger.info({ signal }, 'stopping');
      setTimeout(() => {
        logger.fatal(`not everything closed within ${STOP_DEADLINE_MS} ms`);
        // `process.exit` waits for pending file system calls, and such a call may be what hangs.
        process.kill(process.pid, 'SIGKILL');
      }, STOP_DEADLINE_MS).unref();
      stopping.abort(signal === HANGUP ? HANDOVER : signal);
    });
  }
  return stopping.signal;
}

/** Returns the result of `read`; ends the process if the user's input is wrong. */
function given<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return fail(error, WRONG_ARGUMENTS);
  }
}

function fail(error: unknown, code = 1): never {
  if (isExpected(error)) {
    process.stderr.write(`${APP_NAME}: ${error.message}${fixOf(error)}\n`);
  } else {
    logger.fatal({ err: error }, 'the service cannot continue');
  }
  process.exit(code);
}
