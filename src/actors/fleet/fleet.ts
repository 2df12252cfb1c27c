import { DomainError } from '../../contract/errors.js';
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
import type { Principal } from '../../contract/principal.js';
import { CreateTerminal } from '../../contract/terminal.js';
import { wishIn } from '../input-gate/ask.js';
import type { Runs } from '../runs/runs.js';
import { screenText } from '../screen-text.js';
import { isGone, type Screens } from '../screens.js';
import type { System } from '../system.js';
import type { Terminals } from '../terminals.js';
import { machineFor, refuseRemote } from './route.js';

export interface FleetOptions {
  terminals: Pick<Terminals, 'list' | 'get' | 'newId' | 'create' | 'close'>;
  screens: Pick<Screens, 'look'>;
  runs: Pick<Runs, 'newId' | 'has' | 'run'>;
  system: Pick<System, 'info'>;
  /** Returns the other machines of the fleet. */
  others: () => Machine[];
}

/** Ids of the run and the terminal of a command. */
export interface FleetPlan {
  runId: string;
  terminalId: string;
}

/** This machine as a member of a fleet: handles requests here, and determines which machine a request is for. */
export class Fleet {
  readonly #options: FleetOptions;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  machines(): Machine[] {
    const { platform, hostname } = this.#options.system.info();
    const own = { machineId: SELF, deviceName: hostname, os: platform, online: true, self: true };
    return [own, ...this.#options.others()];
  }

  /** Returns the running terminals of all machines in reach. */
  terminals(): FleetTerminal[] {
    const { platform: os, hostname: deviceName } = this.#options.system.info();
    const running = this.#options.terminals.list('running');
    return running.map(({ id, name }) => ({
      ...{ id, title: name, running: true },
      ...{ machineId: SELF, os, deviceName },
    }));
  }

  /** Returns a terminal of this machine, also an exited one while it is kept. Throws terminal-not-found. */
  terminal(terminalId: string): FleetTerminal {
    const { platform: os, hostname: deviceName } = this.#options.system.info();
    const { id, name: title, status } = this.#options.terminals.get(terminalId);
    return { id, title, running: status === 'running', machineId: SELF, os, deviceName };
  }

  /**
   * Returns the other machine of the fleet that a request is for; undefined if it is for this machine, or for no
   * machine, in which case {@link execute} rejects with the reason.
   */
  elsewhere(target: Pick<FleetExecuteBody, 'terminalId' | 'machineId' | 'targetOS'>): string | undefined {
    // Errors are left to `execute`: a repeated request joins its run even if it would no longer find its machine.
    const machineId = this.#routed(target);
    return this.#options.others().some((each) => each.machineId === machineId) ? machineId : undefined;
  }

  /** Chooses the run and the terminal of a command; a retry gets the same plan. */
  plan({ terminalId }: FleetExecuteBody): FleetPlan {
    const { runs, terminals } = this.#options;
    return { runId: runs.newId(), terminalId: terminalId ?? terminals.newId() };
  }

  /**
   * Runs a command in a terminal, or in a new terminal that is closed afterwards unless the run timed out; or joins the
   * run of this plan. Rejects with peering-not-installed, terminal-not-found, no-match, ambiguous-target,
   * input-buffer-full, over-limit, spawn-failed, and with the reason of `client`, in which case the run continues.
   */
  async execute(
    body: FleetExecuteBody,
    { runId, terminalId }: FleetPlan,
    who: Principal,
    client: AbortSignal,
  ): Promise<FleetExecution> {
    const { runs, system } = this.#options;
    const { command, timeoutMs } = body;
    const closes = body.terminalId === undefined;
    const asked = { who, wish: wishIn(body) };
    if (!runs.has(runId)) await this.#ready(body, terminalId);
    const { hostname: deviceName } = system.info();
    try {
      const result = await runs.run(
        { terminalId, command, timeoutMs, closes, runId, asked },
        'fleet',
        client,
      );
      return { machineId: SELF, terminalId, deviceName, ...result, runId };
    } catch (error) {
      // A run that did not begin leaves nothing behind.
      if (closes && !runs.has(runId)) await this.#close(terminalId);
      throw error;
    }
  }

  /** Returns the screen of a terminal. Throws peering-not-installed, terminal-not-found. */
  async screen({ terminalId, machineId }: FleetTarget): Promise<FleetScreen> {
    refuseRemote(machineId);
    const { name: title, status } = this.#options.terminals.get(terminalId);
    const screen = await screenText(this.#options.screens, terminalId);
    return { machineId: SELF, terminalId, title, running: status === 'running', screen };
  }

  /** Closes a terminal. Throws peering-not-installed, terminal-not-found. */
  async close({ terminalId, machineId }: FleetTarget): Promise<FleetClosed> {
    refuseRemote(machineId);
    await this.#options.terminals.close(terminalId);
    return { machineId: SELF, terminalId, status: 'ok' };
  }

  async #ready(body: FleetExecuteBody, terminalId: string): Promise<void> {
    refuseRemote(machineFor(body, this.machines(), (id) => this.#runs(id)));
    if (body.terminalId !== undefined) return;
    await this.#options.terminals.create(CreateTerminal.parse({}), 'fleet', terminalId, { ifLate: 'end' });
  }

  #routed(target: Pick<FleetExecuteBody, 'terminalId' | 'machineId' | 'targetOS'>): string | undefined {
    try {
      return machineFor(target, this.machines(), (id) => this.#runs(id));
    } catch (error) {
      if (error instanceof DomainError) return undefined;
      throw error;
    }
  }

  #runs(terminalId: string): boolean {
    return this.#options.terminals.list('running').some(({ id }) => id === terminalId);
  }

  /** Closes a terminal that may have been closed meanwhile. */
  async #close(terminalId: string): Promise<void> {
    try {
      await this.#options.terminals.close(terminalId);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}
