import { randomBytes } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import type { Logger } from 'pino';
import { DomainError } from '../contract/errors.js';
import { makeCertificate } from './certificate.js';
import type { FleetFiles } from './files.js';
import { hubConfig } from './hub-config.js';
import { HubLogs } from './hub-logs.js';
import { HubProcess } from './hub-process.js';
import type { Identity } from './identity.js';
import { guestOf } from './invites.js';
import { systemIdentity } from './link.js';
import { findNatsServer } from './nats-program.js';
import { freePort } from './ports.js';
import { type OutsideSettings, outsideServer } from './servers.js';
import { connectOnce, outsideError } from './single-link.js';
import { type FleetFacts, type FleetState, ownServerOf } from './state.js';
import * as subjects from './subjects.js';

/** Pause before another try to have the server admit the machines. */
const AGAIN_MS = 5_000;

/** The section `fleet` of the settings, as the hub reads it. */
export interface HubSettings extends OutsideSettings {
  port: number;
  listen: string;
  serverPath?: string | undefined;
}

export interface HubOptions {
  files: FleetFiles;
  state: FleetState;
  identity: () => Identity;
  settings: () => HubSettings;
  env: NodeJS.ProcessEnv;
  logger: Logger;
}

/**
 * The server of a fleet. On this machine: its certificate, and a nats-server that admits the machines of the fleet. On
 * a server that others run, nothing is started, admitted or stopped here.
 */
export class Hub {
  readonly #options: HubOptions;
  readonly #process: HubProcess;
  readonly #logs: HubLogs;
  /** Whether the server is to run: work that was under way when it was stopped must not start it again. */
  #isWanted = false;
  /** Timer of the next try to tell the server whom to admit; undefined unless the last try has failed. */
  #again: NodeJS.Timeout | undefined;

  constructor(options: HubOptions) {
    this.#options = options;
    const { files, env, logger, settings } = options;
    this.#process = new HubProcess({ files, env, logger, program: () => settings().serverPath });
    this.#logs = new HubLogs(files.log, (err) => logger.warn({ err }, 'logs of the fleet were not deleted'));
  }

  /**
   * Makes a new fleet, and starts its server unless others run it. Resolves with the fleet, which the caller keeps. Rejects
   * with no-nats-server, fleet-failed, and invalid-request for an address without a server here.
   */
  async begin(address: string | undefined): Promise<FleetFacts> {
    const { files, identity, settings, env } = this.#options;
    const { listen, port, serverPath, url } = settings();
    if (url !== undefined) return this.#beginOutside(address);
    await findNatsServer(serverPath, env);
    const certificate = await makeCertificate({ certificate: files.certificate, key: files.key });
    const { machineId, publicKey } = identity();
    const facts: FleetFacts = {
      ...newFleet(),
      hub: {
        ...{ machineId, publicKey, certificate },
        host: address ?? addressOf(listen),
        port: port === 0 ? await freePort(listen) : port,
      },
      ...{ listen, machines: [], invites: [], grants: [] },
    };
    this.#isWanted = true;
    await this.#apply(facts);
    return facts;
  }

  /** Makes the server admit the machines that were stored when the service ended, and starts it if it does not run. */
  async start(): Promise<void> {
    this.#isWanted = true;
    await this.reapply();
  }

  /**
   * Makes the server admit the machines and guests that are known now, and tries again after a failure: a machine that was
   * removed must not stay connected. Does nothing once it is stopped.
   */
  async reapply(): Promise<void> {
    const { state, logger } = this.#options;
    const { facts } = state;
    if (facts?.role !== 'hub' || !this.#isWanted) return;
    clearTimeout(this.#again);
    const again = () =>
      void this.reapply().catch((err: unknown) => {
        logger.warn({ err }, 'the server of the fleet does not admit the machines as they are');
      });
    try {
      await this.#apply(facts);
    } catch (error) {
      clearTimeout(this.#again);
      if (this.#isWanted) this.#again = setTimeout(again, AGAIN_MS).unref();
      throw error;
    }
  }

  /** Starts the server again if it has ended. */
  async revive(): Promise<void> {
    const { facts } = this.#options.state;
    if (facts && ownServerOf(facts) && !(await this.#process.isRunning())) await this.reapply();
  }

  stop(): Promise<void> {
    this.#isWanted = false;
    clearTimeout(this.#again);
    this.#logs.stop();
    return this.#process.stop();
  }

  /**
   * Makes the server admit the machines of `facts`, and the holders of its invitations. Starts the server if it does
   * not run. Does nothing where others run the server.
   */
  #apply(facts: FleetFacts): Promise<void> {
    const { files, identity, settings } = this.#options;
    const own = ownServerOf(facts);
    if (!own) return Promise.resolve();
    this.#logs.start();
    // The server cannot move while it runs.
    const { listen: host = settings().listen } = facts;
    const { machineId, publicKey } = identity();
    const { fleetId, machines, invites } = facts;
    const config = hubConfig({
      ...{ fleetId, host, port: own.port, files, machines },
      hub: { machineId, publicKey, systemKey: systemIdentity(identity()).publicKey },
      guests: invites.map(({ id, secret }) => ({
        id,
        publicKey: guestOf(Buffer.from(secret, 'base64url')).publicKey,
      })),
    });
    return this.#process.apply(config, { host, port: own.port });
  }

  async #beginOutside(address: string | undefined): Promise<FleetFacts> {
    const { identity, settings } = this.#options;
    if (address !== undefined)
      throw new DomainError(
        'invalid-request',
        'A fleet on the server of fleet.url has no address of this machine',
      );
    const { machineId, publicKey } = identity();
    const tried = await connectOnce({
      server: outsideServer(settings()),
      name: `${machineId} init`,
      inbox: subjects.inbox(machineId),
      calls: subjects.hubPermissions(machineId).subscribe,
    });
    if (!('client' in tried)) throw outsideError(tried);
    await tried.client.terminate();
    const hub = { machineId, publicKey, isOutside: true as const };
    return { ...newFleet(), hub, machines: [], invites: [], grants: [] };
  }
}

function newFleet() {
  return { version: 1 as const, role: 'hub' as const, fleetId: `f_${randomBytes(6).toString('hex')}` };
}

/** Returns an address at which other machines may reach a server that listens on `listen`. */
function addressOf(listen: string): string {
  if (listen !== '0.0.0.0' && listen !== '::') return listen;
  const outer = Object.values(networkInterfaces())
    .flat()
    .find((each) => each !== undefined && !each.internal && each.family === 'IPv4');
  return outer?.address ?? '127.0.0.1';
}
