import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Machine } from '#dist/contract/fleet.js';
import type { FleetStatus, Invite, Joining, JoinRequest } from '#dist/contract/fleet-machines.js';
import { type Api, createApi } from './http.js';
import { eventually } from './processes.js';
import { type Service, startService } from './service.js';

/** A machine of a fleet: a service with a home of its own. */
export interface FleetMachine {
  service: Service;
  api: Api;
  /** The machine's id in the fleet, once it is in one. */
  id: string;
}

const SETTINGS = { fleet: { port: 0, listen: '127.0.0.1' } };

/**
 * Starts a service that would, as a hub, listen on the loopback.
 *
 * @param fleet - further settings of the section `fleet`, for a new home
 */
export async function startMachine(home?: string, fleet: object = {}): Promise<FleetMachine> {
  const folder = home ?? (await mkdtemp(join(tmpdir(), 'at-fleet-')));
  if (home === undefined) {
    await mkdir(join(folder, 'config'), { recursive: true, mode: 0o700 });
    await writeFile(
      join(folder, 'config/config.json'),
      JSON.stringify({ fleet: { ...SETTINGS.fleet, ...fleet } }),
    );
  }
  const service = await startService({ home: folder, env: { SHELL: '/bin/sh' } });
  return { service, api: createApi(service.url), id: '' };
}

export async function statusOf({ api }: Pick<FleetMachine, 'api'>): Promise<FleetStatus> {
  return (await api.get<FleetStatus>('/api/fleet/status')).body;
}

/** Makes a machine a hub; resolves once the machine is connected. */
export async function makeHub(machine: FleetMachine, at: object = { address: '127.0.0.1' }): Promise<void> {
  const { status, body } = await machine.api.post('/api/fleet/init', at);
  if (status !== 200) throw new Error(JSON.stringify(body));
  machine.id = (await connected(machine)).machineId!;
}

export function connected(machine: Pick<FleetMachine, 'api'>): Promise<FleetStatus> {
  return eventually('connected', async () => {
    const status = await statusOf(machine);
    return status.link === 'connected' && status;
  });
}

export async function invite(hub: FleetMachine, body: object = {}): Promise<Invite> {
  const answer = await hub.api.post<Invite>('/api/fleet/invites', body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

/** Begins to join; resolves with the joining that the guest shows and the request that the hub shows. */
export async function ask(
  hub: FleetMachine,
  guest: FleetMachine,
  code: string,
): Promise<{ joining: Joining; request: JoinRequest }> {
  const { status, body } = await guest.api.post<Joining>('/api/fleet/join', { code });
  if (status !== 202) throw new Error(JSON.stringify(body));
  const list = await hub.api.get<{ requests: JoinRequest[] }>('/api/fleet/requests');
  const request = list.body.requests.find(({ words }) => words === body.words);
  if (!request) throw new Error('the hub shows other words');
  return { joining: body, request };
}

/**
 * Makes a machine join, after comparing the words on both sides. Resolves once both sides list each other as online.
 */
export async function pair(hub: FleetMachine, guest: FleetMachine, body: object = {}): Promise<void> {
  const { request } = await ask(hub, guest, (await invite(hub, body)).code);
  const { status } = await hub.api.post(`/api/fleet/requests/${request.id}/approve`);
  if (status !== 200) throw new Error(`approve answered ${status}`);
  guest.id = (await connected(guest)).machineId!;
  await online(hub, guest.id);
  await online(guest, hub.id);
}

export async function machines({ api }: Pick<FleetMachine, 'api'>): Promise<Machine[]> {
  return (await api.get<{ machines: Machine[] }>('/api/fleet/machines')).body.machines;
}

export function online(
  at: Pick<FleetMachine, 'api'>,
  machineId: string,
  isOnline = true,
  ms?: number,
): Promise<Machine> {
  const look = async () =>
    (await machines(at)).find((each) => each.machineId === machineId && each.online === isOnline);
  return eventually(`${machineId} ${isOnline ? 'online' : 'offline'}`, look, ms);
}

/** Grants `to` rights on the terminals of `owner`; resolves with the id of the grant. */
export async function grant(owner: FleetMachine, to: FleetMachine, body: object): Promise<string> {
  const answer = await owner.api.post<{ id: string }>('/api/fleet/grants', { to: to.id, ...body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.id;
}

/** Takes back all grants of a machine. */
export async function revokeAll({ api }: FleetMachine): Promise<void> {
  const { body } = await api.get<{ grants: { id: string }[] }>('/api/fleet/grants');
  for (const { id } of body.grants) await api.delete(`/api/fleet/grants/${id}`);
}
