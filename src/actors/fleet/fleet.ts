import {
  type FleetClosed,
  type FleetExecuteBody,
  type FleetExecution,
  type FleetScreen,
  type FleetTarget,
  type FleetTerminal,
  type Machine,
  SELF,
} from '../../contract/fleet.js';
import { CreateTerminal } from '../../contract/terminal.js';
import type { Runs } from '../runs/runs.js';
import { unlessAborted } from '../runs/unless-aborted.js';
import { isGone, type Screens } from '../screens.js';
import type { System } from '../system.js';
import type { Terminals } from '../terminals.js';
import { throughShardDeaths } from '../waits/shard-deaths.js';
import { machineFor, refuseRemote } from './route.js';

export interface FleetOptions {
  terminals: Pick<Terminals, 'list' | 'get' | 'create' | 'close'>;
  screens: Pick<Screens, 'look'>;
  runs: Pick<Runs, 'run'>;
  system: Pick<System, 'info'>;
}

/** This machine as one of a fleet; the others are out of reach. */
export class Fleet {
  readonly #options: FleetOptions;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  machines(): Machine[] {
    const { platform, hostname } = this.#options.system.info();
    return [{ machineId: SELF, deviceName: hostname, os: platform, online: true, self: true }];
  }

  /** Of all machines those that run. */
  terminals(): FleetTerminal[] {
    const { platform: os, hostname: deviceName } = this.#options.system.info();
    const running = this.#options.terminals.list('running');
    return running.map(({ id, name }) => ({
      ...{ id, title: name, running: true },
      ...{ machineId: SELF, os, deviceName },
    }));
  }

  /**
   * Runs a command in a terminal, or in a fresh one, which is closed afterwards unless the time was over. Rejects with
   * peering-not-installed, terminal-not-found, no-match, ambiguous-target, input-buffer-full, spawn-failed, and with
   * the reason of `client`.
   */
  async execute(body: FleetExecuteBody, client: AbortSignal): Promise<FleetExecution> {
    refuseRemote(machineFor(body, this.machines(), (id) => this.#runs(id)));
    if (body.terminalId !== undefined) return this.#run(body.terminalId, body, client);
    const { id } = await this.#options.terminals.create(CreateTerminal.parse({}), 'fleet');
    return unlessAborted(this.#runOnce(id, body), client);
  }

  /** Throws peering-not-installed, terminal-not-found. */
  async screen({ terminalId, machineId }: FleetTarget): Promise<FleetScreen> {
    refuseRemote(machineId);
    const { name: title, status } = this.#options.terminals.get(terminalId);
    const screen = await this.#textOf(terminalId);
    return { machineId: SELF, terminalId, title, running: status === 'running', screen };
  }

  /** Throws peering-not-installed, terminal-not-found. */
  async close({ terminalId, machineId }: FleetTarget): Promise<FleetClosed> {
    refuseRemote(machineId);
    await this.#options.terminals.close(terminalId);
    return { machineId: SELF, terminalId, status: 'ok' };
  }

  async #run(
    terminalId: string,
    { command, timeoutMs }: FleetExecuteBody,
    client: AbortSignal,
  ): Promise<FleetExecution> {
    const { hostname: deviceName } = this.#options.system.info();
    const { done, exitCode } = await this.#options.runs.run(
      terminalId,
      { command, timeoutMs },
      'fleet',
      client,
    );
    const screen = await this.#textAfter(terminalId);
    return { machineId: SELF, terminalId, deviceName, done, exitCode, screen };
  }

  /** In a terminal that nobody else knows of: it is closed once its command has ended, though its client has gone. */
  async #runOnce(id: string, body: FleetExecuteBody): Promise<FleetExecution> {
    let isOver = true;
    try {
      const execution = await this.#run(id, body, new AbortController().signal);
      isOver = execution.done;
      return execution;
    } finally {
      if (isOver) await this.#close(id);
    }
  }

  /** Empty where it has gone meanwhile: what became of the command is known all the same. */
  async #textAfter(terminalId: string): Promise<string> {
    try {
      return await this.#textOf(terminalId);
    } catch (error) {
      if (!isGone(error)) throw error;
      return '';
    }
  }

  /** The rows of the screen, without the empty ones below the last. */
  async #textOf(terminalId: string): Promise<string> {
    const { signal } = new AbortController();
    const { rows } = await throughShardDeaths(signal, () => this.#options.screens.look(terminalId));
    return rows.join('\n').replace(/\n+$/, '');
  }

  #runs(terminalId: string): boolean {
    return this.#options.terminals.list('running').some(({ id }) => id === terminalId);
  }

  /** Somebody may have closed it meanwhile. */
  async #close(terminalId: string): Promise<void> {
    try {
      await this.#options.terminals.close(terminalId);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}
