import { SystemInfo, TmuxStatus } from '../../contract/system.js';
import { needs } from '../access/needs.js';
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
      config: needs('read', 'none'),
      schema: {
        summary: 'Get the machine and the version of the service',
        tags: ['System'],
        response: { 200: SystemInfo },
      },
    },
    async () => system.info(),
  );

  app.get(
    '/api/system/tmux-status',
    {
      config: needs('read', 'whole'),
      schema: {
        summary: 'Tell whether tmux is available, and count its sessions',
        description:
          'The service looks for tmux once, when it starts: on PATH or, on Windows, in the distributions ' +
          'of WSL. It counts the terminals that live in tmux at each call.',
        tags: ['System'],
        response: { 200: TmuxStatus, ...failures('unavailable') },
      },
    },
    () => system.tmuxStatus(),
  );
}
