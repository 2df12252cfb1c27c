import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { LiveConfig } from '../../config/live-config.js';
import { withoutEqual } from '../../config/merge-patch.js';
import type { Config } from '../../config/settings.js';
import { DomainError } from '../../contract/errors.js';
import { RotatedToken, SettingsAnswer, SettingsPatch } from '../../contract/settings.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { App } from '../validation.js';

export interface SettingsOptions {
  settings: Pick<LiveConfig, 'current' | 'restartRequired' | 'patch' | 'rotateToken'>;
  /** Returns the ports on which the servers really listen. */
  ports: () => { network: number; mcp: number; dashboard: number };
  /**
   * Called after each change, with the connection that requested it. A rotation is one, too: any change takes up what was
   * edited in the config file meanwhile.
   */
  onChanged: (asking: Socket) => void;
  /** Called after a rotation, with the request for it, the old token and the new one. */
  onRotated: (asking: FastifyRequest, before: string | undefined, token: string) => void;
}

const SettingsQuery = z.object({ reveal: z.enum(['true', 'false']).default('false') });

/**
 * Number of the token's characters that are shown: enough to distinguish tokens, far too few to guess the remainder.
 */
const SHOWN_CHARS = 4;

function masked(token: string): string {
  return '*'.repeat(token.length - SHOWN_CHARS) + token.slice(-SHOWN_CHARS);
}

/** Drops the token from a patch if it is the current token, masked or not. Throws token-not-settable otherwise. */
function withoutToken(patch: SettingsPatch, token = ''): SettingsPatch {
  if (patch.network?.authToken === undefined) return patch;
  const { authToken, ...network } = patch.network;
  if (authToken !== token && authToken !== masked(token)) throw new DomainError('token-not-settable');
  return { ...patch, network };
}

/** `/api/settings`: reads the settings, changes them while the service runs, and makes another token. */
export function registerSettings(app: App, { settings, ports, onChanged, onRotated }: SettingsOptions): void {
  function answer(reveal: boolean, config = settings.current): SettingsAnswer {
    const { network, mcp, dashboard, ...sections } = config;
    const { authToken = '' } = network;
    return {
      ...sections,
      mcp: { ...mcp, port: portIn('mcp', config) },
      dashboard: { ...dashboard, port: portIn('dashboard', config) },
      network: {
        ...network,
        port: portIn('network', config),
        authToken: reveal ? authToken : masked(authToken),
      },
      restartRequired: settings.restartRequired,
    };
  }

  /** Returns the port on which a server listens, if its setting is the current one: 0 is any free port. */
  function portIn(section: 'network' | 'mcp' | 'dashboard', config: Config): number {
    const { port } = config[section];
    return port === settings.current[section].port ? ports()[section] : port;
  }

  app.get(
    '/api/settings',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Get the settings',
        description: 'All settings with their defaults. The token is masked unless `reveal=true`.',
        tags: ['Settings'],
        querystring: SettingsQuery,
        response: { 200: SettingsAnswer },
      },
    },
    async (request) => answer(request.query.reveal === 'true'),
  );

  app.patch(
    '/api/settings',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Change settings',
        description:
          'A JSON merge patch for the config file: null resets a setting to its default. Values that equal ' +
          'those in use and in the file are ignored, so that an answer can be sent back. The patch is validated ' +
          'as a whole; if anything is wrong, nothing changes. Exposure, ports and whether there are an MCP ' +
          'server and a dashboard take effect at once. `restartRequired` of the answer names the settings that take ' +
          'effect at the next start. To change the token, rotate it.',
        tags: ['Settings'],
        body: SettingsPatch,
        response: {
          200: SettingsAnswer,
          ...failures('port-taken', 'config-file-broken', 'config-file-not-written', 'token-not-settable'),
        },
      },
    },
    async (request) => {
      // Decided when it is this change's turn, since a change before it may still alter the current settings.
      await settings.patch((edited) => {
        const patch = withoutToken(request.body, settings.current.network.authToken);
        // A value that holds now is a change all the same if somebody has edited it in the file, which this change takes up.
        return withoutEqual(patch, answer(false), answer(false, edited));
      });
      onChanged(request.raw.socket);
      return answer(false);
    },
  );

  app.post(
    '/api/settings/token/rotate',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Replace the token',
        description:
          'The old token is refused from the next request on; open connections stay open, unless the file that is read ' +
          'for it no longer allows them. Sessions of the dashboard end, except for the one that asks.',
        tags: ['Settings'],
        response: { 200: RotatedToken, ...failures('config-file-broken', 'config-file-not-written') },
      },
    },
    async (request) => {
      const before = settings.current.network.authToken;
      const authToken = await settings.rotateToken();
      onChanged(request.raw.socket);
      onRotated(request, before, authToken);
      return { authToken };
    },
  );
}
