// The process of the tool server: alone over HTTP, alone over stdio, or started by the service.
import { isatty } from 'node:tty';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { ConfigError } from '../src/config/config-error.js';
import { createLogger } from '../src/config/logger.js';
import { WATCHED } from '../src/contract/sidecar.js';
import { APP_NAME, MCP_NAME, VERSION } from '../src/contract/version.js';
import { PortTakenError } from '../src/gateway/port-owner.js';
import { blameHost, EnvironmentError, parentFrom, settingsFrom } from './environment.js';
import { followParent } from './parent.js';
import { isExposed, Sidecar } from './sidecar.js';
import { serveStdio } from './stdio.js';
import { runWatched } from './watched.js';

const HELP = `Usage: ${APP_NAME} mcp [--stdio]

Starts the MCP tool server alone, for an ${APP_NAME} that is already running. (The service also starts its own tool server.)

  --stdio    speak MCP over standard input and output, for one client
  --help     show this help
  --version  show the version

Environment:
  MCP_PORT                   port to listen on (42032; 0: any free port)
  MCP_HOST                   address to listen on (127.0.0.1); any address but the loopback requires AUTO_TERMINAL_TOKEN
  MCP_LOCAL_USERS            users to serve on the loopback: own (this user and root) or any (own)
  AUTO_TERMINAL_API_URL      the REST API (http://localhost:42031)
  AUTO_TERMINAL_TOKEN        token of the API, if it is exposed; AUTO_TERMINAL_API_TOKEN is the fallback
  AUTO_TERMINAL_INSTANCE_ID  use only this instance of the service
  AUTO_TERMINAL_LOG_LEVEL    trace, debug, info, warn, error, fatal or silent (info)
  MCP_PARENT_PID             end when this process ends
  MCP_SESSION_IDLE_MS        drop sessions that have been unused for this many milliseconds (3600000)
  SERVICE_TERMINAL_ID        over stdio: the terminal that "me" stands for
`;

/** Time limit for a clean stop after a signal; the process then ends anyway, with an error. */
const STOP_DEADLINE_MS = 5_000;

// Calls leave much garbage. Without this flag V8 lets the heap grow to several times the live data.
setFlagsFromString('--optimize-for-size');

const logger = openLogger();

try {
  await run();
} catch (error) {
  fail(error);
}

function openLogger(): Logger {
  try {
    return createLogger(process.env);
  } catch (error) {
    return fail(error);
  }
}

interface Running {
  stop: () => void;
  /** Line to print on stdout. */
  ready: string;
}

async function run(): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const options = { stdio: flag, help: flag, version: flag, [WATCHED]: flag };
  const { values } = parseArgs({ options });
  if (values.help) return void process.stdout.write(HELP);
  if (values.version) return void process.stdout.write(`${VERSION}\n`);
  // The flag is needed since other supervisors, too, give their processes an IPC channel, with other messages.
  if (values[WATCHED]) return runWatched(logger, exit);

  const settings = settingsFrom(process.env);
  const parent = parentFrom(process.env);
  const { stop, ready } = values.stdio ? await runStdio() : await runHttp();
  let isStopping = false;
  const stopOnce = () => {
    if (!isStopping) stop();
    isStopping = true;
  };
  if (parent !== undefined) followParent(parent, stopOnce);
  // `on`, not `once`: npm sends a second Ctrl+C along with the first.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stopOnce);
  // As the service: `nohup` and most supervisors give it no terminal, and Node has undone that `nohup` ignores the signal.
  const isInTerminal = isatty(1) || isatty(2);
  if (!values.stdio)
    process.on('SIGHUP', () => (isInTerminal ? stopOnce() : logger.info('served on at SIGHUP')));
  // A closed stdout is no reason to end.
  if (!values.stdio) process.stdout.on('error', () => undefined);
  // Printed last, since the reader may end this process at once.
  process.stdout.write(ready);

  async function runStdio(): Promise<Running> {
    await serveStdio(settings, process.env, logger, exit);
    return { stop: () => exit(0), ready: '' };
  }

  async function runHttp(): Promise<Running> {
    if (isExposed(settings) && settings.token === undefined) {
      throw new EnvironmentError('MCP_HOST', `${settings.host} requires AUTO_TERMINAL_TOKEN`);
    }
    const sidecar = await Sidecar.start(settings, logger).catch((error: unknown) =>
      blameHost(settings.host, error),
    );
    return {
      stop: () => {
        const late = () => fail(new Error(`not everything closed within ${STOP_DEADLINE_MS} ms`));
        setTimeout(late, STOP_DEADLINE_MS).unref();
        void sidecar.stop().then(() => exit(0), fail);
      },
      ready: `${MCP_NAME} ${VERSION} ready mcp=${sidecar.url} api=${settings.apiUrl}\n`,
    };
  }
}

function exit(code: number): never {
  process.exit(code);
}

function fail(error: unknown): never {
  const isExpected =
    error instanceof EnvironmentError ||
    error instanceof ConfigError ||
    error instanceof PortTakenError ||
    (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
  const fix =
    error instanceof PortTakenError
      ? '. Stop the program that uses it, or set MCP_PORT to another port (0: any free port)'
      : '';
  if (isExpected) process.stderr.write(`${MCP_NAME}: ${error.message}${fix}\n`);
  else logger.fatal({ err: error }, 'the tool server cannot continue');
  process.exit(1);
}
