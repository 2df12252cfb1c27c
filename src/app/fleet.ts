import type { Logger } from 'pino';
import type { Attached } from '../actors/attached/attached.js';
import type { Audit } from '../actors/audit/audit.js';
import type { RunStore } from '../actors/runs/run-store.js';
import type { System } from '../actors/system.js';
import type { Terminals } from '../actors/terminals.js';
import type { LiveConfig } from '../config/live-config.js';
import type { Paths } from '../config/paths.js';
import type { Labels } from '../contract/labels.js';
import { Machines } from '../fleet/machines.js';
import { RefusalLines } from '../fleet/refusal-lines.js';
import type { FleetRequests } from '../gateway/fleet-requests.js';
import { answerSource } from '../gateway/remote/answer-source.js';
import { LiveSources } from '../gateway/remote/live-source.js';
import type { FanOut } from '../gateway/ws/fan-out.js';

/** Most characters of a path in the audit log: a path that a machine may not send can have any length. */
const MAX_AUDITED_PATH_CHARS = 200;

/** Parts of the service that other machines reach. */
export interface ReachedParts {
  terminals: Pick<Terminals, 'list' | 'get'>;
  attached: Attached;
  fanOut: FanOut;
  system: Pick<System, 'info'>;
  labelsOf: (id: string) => Labels | undefined;
  runs: Pick<RunStore, 'get'>;
  audit: Pick<Audit, 'add'>;
}

export interface FleetParts {
  config: LiveConfig;
  paths: Paths;
  env: NodeJS.ProcessEnv;
  logger: Logger;
  /** Called only once they exist. */
  parts: () => ReachedParts & { requests: FleetRequests };
}

/** Opens this machine's place in a fleet over machines. Throws ConfigError if it cannot be read. */
export function openFleet({ config, paths, env, logger, parts }: FleetParts): Promise<Machines> {
  const onFault = (err: unknown) => logger.warn({ err }, 'a stream to another machine has failed');
  let live: LiveSources | undefined;
  const refusals = new RefusalLines();
  return Machines.open({
    ...{ folder: paths.fleetFolder, env, logger },
    settings: () => config.current.fleet,
    me: () => {
      const { terminals, system } = parts();
      const { hostname: deviceName, platform: os } = system.info();
      return { deviceName, os, terminals: terminals.list('running').length };
    },
    labelsOf: (id) => parts().labelsOf(id),
    runOf: (runId) => {
      const { who, terminalIds = [] } = parts().runs.get(runId) ?? {};
      return { machineId: who?.machineId, terminalIds };
    },
    onRefused: (machineId, { method, url }, { status, code }) => {
      if (!refusals.admit(machineId)) return;
      const [path = ''] = url.slice(0, MAX_AUDITED_PATH_CHARS).split('?', 1);
      const by = { kind: 'fleet' as const, machineId, verified: false };
      parts().audit.add({ action: `${method} ${path}`, by, via: 'fleet', status, code });
    },
    run: (machineId, request, signal) => parts().requests.run(machineId, request, signal),
    sources: {
      live: (asked, stream) => {
        live ??= new LiveSources({ ...parts(), onFault });
        return live.open(asked, stream);
      },
      answer: (machineId, url, stream) => answerSource(parts().requests, machineId, url, stream, onFault),
    },
  });
}
