import type { Client } from './client.js';
import type { CallOptions } from './requests.js';
import type {
  FleetStatus,
  Grant,
  GrantOptions,
  Invite,
  InviteOptions,
  JoinedMachine,
  Joining,
  JoinRequest,
} from './types.js';

/** Which machines are in the fleet, and what they may do here. For programs of Node: pages do without it. */
export class FleetAdmin {
  readonly #client: Pick<Client, 'request'>;

  constructor(client: Pick<Client, 'request'>) {
    this.#client = client;
  }

  status(call: CallOptions = {}): Promise<FleetStatus> {
    return this.#client.request('GET', '/api/fleet/status', call);
  }

  /** Makes this machine the hub of a new fleet. `address`: by which other machines reach it. */
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

  /** Resolves with the machines that ask to join. */
  async requests(call: CallOptions = {}): Promise<JoinRequest[]> {
    const path = '/api/fleet/requests';
    return (await this.#client.request<{ requests: JoinRequest[] }>('GET', path, call)).requests;
  }

  approve(id: string, call: CallOptions = {}): Promise<JoinedMachine> {
    return this.#client.request('POST', `/api/fleet/requests/${encodeURIComponent(id)}/approve`, call);
  }

  async deny(id: string, call: CallOptions = {}): Promise<void> {
    await this.#client.request('POST', `/api/fleet/requests/${encodeURIComponent(id)}/deny`, call);
  }

  /** Removes a machine from the fleet. */
  async remove(machineId: string, call: CallOptions = {}): Promise<void> {
    await this.#client.request('DELETE', `/api/fleet/machines/${encodeURIComponent(machineId)}`, call);
  }

  async grants(call: CallOptions = {}): Promise<Grant[]> {
    return (await this.#client.request<{ grants: Grant[] }>('GET', '/api/fleet/grants', call)).grants;
  }

  /** Lets another machine do something here. */
  grant(body: GrantOptions, call: CallOptions = {}): Promise<Grant> {
    return this.#client.request('POST', '/api/fleet/grants', { ...call, body });
  }

  async revoke(id: string, call: CallOptions = {}): Promise<void> {
    await this.#client.request('DELETE', `/api/fleet/grants/${encodeURIComponent(id)}`, call);
  }
}
