import type { Client } from './client.js';
import type { CallOptions } from './requests.js';
import { segment } from './segment.js';
import type {
  FleetPlace,
  FleetStatus,
  FleetTerminalList,
  Grant,
  GrantOptions,
  Invite,
  InviteOptions,
  JoinedMachine,
  Joining,
  JoinRequest,
  ReachedMachine,
  RightList,
  UseRequest,
} from './types.js';

/** Machines of the fleet, and their rights here. */
export class FleetAdmin {
  readonly #client: Pick<Client, 'request'>;

  constructor(client: Pick<Client, 'request'>) {
    this.#client = client;
  }

  status(call: CallOptions = {}): Promise<FleetStatus> {
    return this.#client.request('GET', '/api/fleet/status', call);
  }

  /** Resolves with the machine of a terminal. Rejects if no machine that can be asked has it, or several do. */
  find(terminalId: string, call: CallOptions = {}): Promise<FleetPlace> {
    return this.#client.request('GET', `/api/fleet/terminals/${segment(terminalId)}`, call);
  }

  /** Resolves with all machines, each with the rights that it grants to this machine, if it can be asked. */
  async machines(call: CallOptions = {}): Promise<ReachedMachine[]> {
    return (await this.#client.request<{ machines: ReachedMachine[] }>('GET', '/api/machines', call))
      .machines;
  }

  /** Resolves with the rights of this client's machine; for a client of another machine, see `AutoTerminal.machine`. */
  async rights(call: CallOptions = {}): Promise<RightList['rights']> {
    return (await this.#client.request<RightList>('GET', '/api/fleet/rights', call)).rights;
  }

  /** Resolves with the running terminals of all machines, and with the machines that could not be asked. */
  roster(call: CallOptions = {}): Promise<FleetTerminalList> {
    return this.#client.request('GET', '/api/fleet/terminals', call);
  }

  /** Makes this machine the hub of a new fleet. `address`: the address at which other machines reach it. */
  init(body: { address?: string | undefined } = {}, call: CallOptions = {}): Promise<FleetStatus> {
    return this.#client.request('POST', '/api/fleet/init', { ...call, body });
  }

  /** Makes an invitation for one machine. */
  invite(body: InviteOptions = {}, call: CallOptions = {}): Promise<Invite> {
    return this.#client.request('POST', '/api/fleet/invites', { ...call, body });
  }

  /** Begins to join; resolves with the words that both machines show. */
  join(code: string, call: CallOptions = {}): Promise<Joining> {
    return this.#client.request('POST', '/api/fleet/join', { ...call, body: { code } });
  }

  async leave(call: CallOptions = {}): Promise<void> {
    await this.#client.request('POST', '/api/fleet/leave', call);
  }

  /** Resolves with all requests that wait for a person: of machines to join, and of other machines to act here. */
  waiting(call: CallOptions = {}): Promise<{ requests: JoinRequest[]; uses: UseRequest[] }> {
    return this.#client.request('GET', '/api/fleet/requests', call);
  }

  /** Resolves with the machines that ask to join. */
  async requests(call: CallOptions = {}): Promise<JoinRequest[]> {
    return (await this.waiting(call)).requests;
  }

  /** Resolves with the requests of other machines that need approval here. */
  async uses(call: CallOptions = {}): Promise<UseRequest[]> {
    return (await this.waiting(call)).uses;
  }

  /** Approves a machine's request: to join, or to act here. */
  approve(id: string, call: CallOptions = {}): Promise<JoinedMachine> {
    return this.#client.request('POST', `/api/fleet/requests/${segment(id)}/approve`, call);
  }

  async deny(id: string, call: CallOptions = {}): Promise<void> {
    await this.#client.request('POST', `/api/fleet/requests/${segment(id)}/deny`, call);
  }

  /** Removes a machine from the fleet. */
  async remove(machineId: string, call: CallOptions = {}): Promise<void> {
    await this.#client.request('DELETE', `/api/fleet/machines/${segment(machineId)}`, call);
  }

  async grants(call: CallOptions = {}): Promise<Grant[]> {
    return (await this.#client.request<{ grants: Grant[] }>('GET', '/api/fleet/grants', call)).grants;
  }

  /** Lets another machine do something here. */
  grant(body: GrantOptions, call: CallOptions = {}): Promise<Grant> {
    return this.#client.request('POST', '/api/fleet/grants', { ...call, body });
  }

  async revoke(id: string, call: CallOptions = {}): Promise<void> {
    await this.#client.request('DELETE', `/api/fleet/grants/${segment(id)}`, call);
  }
}
