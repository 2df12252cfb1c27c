import { SystemInfo, TmuxStatus } from '../../contract/system.js';
import { failures } from '../failures.js';
import type { App } from '../validation.js';

/** The machine, as the gateway describes it. */
export interface SystemPort {
  info(): SystemInfo;
  /** Throws unavailable. */
  tmuxStatus(): Promise<TmuxStatus>;
}

/** `/api/system/info` and `/api/system/tmux-status`. */
export function registerSystem(app: App, system: SystemPort): void {
  app.get(
    '/api/system/info',
    {
      schema: {
        summary: 'The machine and the version of the service',
        tags: ['System'],
        response: { 200: SystemInfo },
      },
    },
    async () => system.info(),
  );

  app.get(
    '/api/system/tmux-status',
    {
      schema: {
        summary: 'Whether tmux is there, and its sessions',
        description:
          'tmux is looked for once, when the service starts: on PATH, or on Windows in the distributions of WSL. ' +
          'The terminals that live in it are counted at each call.',
        tags: ['System'],
        response: { 200: TmuxStatus, ...failures('unavailable') },
      },
    },
    () => system.tmuxStatus(),
  );
}
