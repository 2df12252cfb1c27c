import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { type App, type AppOptions, startApp } from '#dist/app.js';
import { LiveConfig } from '#dist/config/live-config.js';
import { preparePaths, resolvePaths } from '#dist/config/paths.js';
import { chooseBackend, environmentOn } from './backend.js';

export interface AppInProcess {
  app: App;
  /** Holds the fault that the service could not survive, if there was such a fault. */
  fatal: Error[];
  /** Stops the service and removes its folder. */
  stop(): Promise<void>;
}

/** Starts the service inside the test's own process, for tests that reach into the engine. */
export async function startAppInProcess(
  settings: object = {},
  options: Pick<AppOptions, 'dashboardFolder' | 'memoryFolder' | 'webhookTimes'> = {},
): Promise<AppInProcess> {
  const home = await mkdtemp(join(tmpdir(), 'at-app-'));
  const paths = resolvePaths({
    env: { AUTO_TERMINAL_HOME: home },
    platform: process.platform,
    tmpFolder: tmpdir(),
  });
  await mkdir(dirname(paths.configFile), { recursive: true, mode: 0o700 });
  await writeFile(paths.configFile, JSON.stringify(settings));
  await chooseBackend(home);
  // The service's pty host inherits this process' environment. The user's rc files are no part of a test.
  const giveBack = setEnvironment({ HOME: home, ...environmentOn(home) });
  await preparePaths(paths);
  const machine = { platform: process.platform, cores: 2 };
  const overrides = { network: 0, mcp: 0, dashboard: 0, isMcpOff: true };
  const config = await LiveConfig.open({ configFile: paths.configFile, machine, overrides });
  const fatal: Error[] = [];
  const logger = pino({ level: 'silent' });
  const onFatal = (reason: Error) => void fatal.push(reason);
  const app = await startApp({ config, paths, env: process.env, args: [], logger, onFatal, ...options });
  return {
    app,
    fatal,
    stop: async () => {
      await app.stop();
      giveBack();
      await rm(home, { recursive: true, maxRetries: 5 });
    },
  };
}

/** Sets variables of this process, which other test files share; returns a function that restores them. */
function setEnvironment(variables: Record<string, string>): () => void {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  return () => {
    for (const name of Object.keys(variables)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  };
}
