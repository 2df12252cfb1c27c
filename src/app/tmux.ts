import type { Logger } from 'pino';
import { runProgram } from '../actors/run-program.js';
import { TmuxDetector } from '../actors/tmux/detector.js';
import { tmuxEnvironment } from '../actors/tmux/environment.js';
import { TmuxPlaces } from '../actors/tmux/places.js';
import type { LiveConfig } from '../config/live-config.js';
import type { Paths } from '../config/paths.js';
import { loadLibc } from '../workers/pty-host/pty/libc.js';

export interface TmuxParts {
  config: LiveConfig;
  paths: Paths;
  /** The environment of the service. */
  env: NodeJS.ProcessEnv;
  logger: Logger;
}

/** The tmux of this machine, and the decision which terminals live in it. */
export interface RunningTmux {
  detector: TmuxDetector;
  places: TmuxPlaces;
  /** Returns the same connecting, and looks for tmux' sockets where each host that it finds has them. */
  hostedBy<Host extends { tmuxFolder?: string | undefined }>(
    connect: () => Promise<Host>,
  ): () => Promise<Host>;
}

export function createTmux({ config, paths, env, logger }: TmuxParts): RunningTmux {
  // An earlier service may have started the host, with another folder for tmux' sockets.
  let hostEnv = env;
  const libc = loadLibc(process.platform, process.arch);
  const detector = new TmuxDetector({
    platform: process.platform,
    env: () => tmuxEnvironment(hostEnv),
    run: runProgram,
    socketName: paths.tmuxSocket,
    obstacle: 'missing' in libc ? libc.missing : null,
  });
  const places = new TmuxPlaces({
    detector,
    backend: () => config.current.terminals.backend,
    // As for the screens, a changed scrollback applies from the next start of the service.
    historyLimit: config.current.terminals.scrollback,
    env: () => hostEnv,
    logger,
  });
  return {
    detector,
    places,
    hostedBy: (connect) => async () => {
      const host = await connect();
      hostEnv = host.tmuxFolder === undefined ? env : { ...env, TMUX_TMPDIR: host.tmuxFolder };
      return host;
    },
  };
}
