import type { CallOptions, Requests } from './requests.js';
import type {
  FleetClosed,
  FleetExecuteOptions,
  FleetExecution,
  FleetScreen,
  FleetTerminal,
  Machine,
} from './types.js';

/** Terminals of this machine and of the machines that are paired with it. */
export class Fleet {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  async machines(call: CallOptions = {}): Promise<Machine[]> {
    return (await this.#requests.get<{ machines: Machine[] }>('/api/fleet/machines', call)).machines;
  }

  async terminals(call: CallOptions = {}): Promise<FleetTerminal[]> {
    return (await this.#requests.get<{ terminals: FleetTerminal[] }>('/api/fleet/terminals', call)).terminals;
  }

  /** Runs a command on a machine, and resolves once it has ended or its time is up. */
  execute({ signal, key, ...body }: FleetExecuteOptions & CallOptions): Promise<FleetExecution> {
    return this.#requests.post('/api/fleet/execute', { body, isKeyed: true, signal, key });
  }

  screen(
    terminalId: string,
    { machineId, signal }: { machineId?: string } & CallOptions = {},
  ): Promise<FleetScreen> {
    return this.#requests.post('/api/fleet/screen', {
      body: { terminalId, machineId },
      isRead: true,
      signal,
    });
  }

  close(
    terminalId: string,
    { machineId, signal }: { machineId?: string } & CallOptions = {},
  ): Promise<FleetClosed> {
    return this.#requests.post('/api/fleet/close', { body: { terminalId, machineId }, signal });
  }
}
