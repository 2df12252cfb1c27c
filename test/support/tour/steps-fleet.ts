import { connected, type FleetMachine, online, startMachine } from '../fleet.js';
import type { Tour } from './tour.js';

/** Makes a fleet of two machines: the service of the tour, and a second service. */
export async function joinMachines(tour: Tour): Promise<void> {
  await tour.api.patch('/api/settings', { fleet: { port: 0, listen: '127.0.0.1' } });
  const laptop = await startMachine();
  try {
    await tour.call('POST /api/fleet/init', { body: { address: '127.0.0.1' } });
    await connected(tour);
    await tour.call('GET /api/fleet/status');
    await tour.call('GET /api/machines');
    await tour.call('GET /api/fleet/rights');
    const { body: own } = await tour.api.post<{ id: string }>('/api/terminals', {});
    await tour.call('GET /api/fleet/terminals/{id}', { path: { id: own.id } });
    await tour.api.delete(`/api/terminals/${own.id}`);
    const { code } = await tour.call<{ code: string }>('POST /api/fleet/invites', {
      body: { as: 'laptop', give: ['observe'] },
    });
    await laptop.api.post('/api/fleet/join', { code });
    const asked = await tour.call<{ requests: { id: string }[] }>('GET /api/fleet/requests');
    const { machineId } = await tour.call<{ machineId: string }>('POST /api/fleet/requests/{id}/approve', {
      path: { id: asked.requests[0]!.id },
    });
    await connected(laptop);
    await online(tour, machineId);
    const { id } = await tour.call<{ id: string }>('POST /api/fleet/grants', {
      body: { to: machineId, can: ['observe', 'type'], terminals: 'role=test', until: null },
    });
    await tour.call('GET /api/fleet/grants');
    await tour.call('DELETE /api/fleet/grants/{id}', { path: { id } });
    await tour.call('DELETE /api/fleet/machines/{machineId}', { path: { machineId } });
    await laptop.api.post('/api/fleet/leave');
    const { body: other } = await tour.api.post<{ code: string }>('/api/fleet/invites', {});
    await laptop.api.post('/api/fleet/join', { code: other.code });
    const { body: list } = await tour.api.get<{ requests: { id: string }[] }>('/api/fleet/requests');
    await tour.call('POST /api/fleet/requests/{id}/deny', { path: { id: list.requests[0]!.id } });
    await tour.call('POST /api/fleet/leave');
    await joinAnother(tour, laptop);
  } finally {
    await laptop.service.stop();
  }
  await tour.api.patch('/api/settings', { fleet: null });
}

/** Makes the service of the tour ask to join the fleet of the other machine, and give up. */
async function joinAnother(tour: Tour, hub: FleetMachine): Promise<void> {
  // After this the other machine is in no fleet, whether it already knows that it was denied or gives up here.
  await hub.api.post('/api/fleet/leave');
  await hub.api.post('/api/fleet/init', { address: '127.0.0.1' });
  await connected(hub);
  const { body } = await hub.api.post<{ code: string }>('/api/fleet/invites', {});
  await tour.call('POST /api/fleet/join', { body: { code: body.code } });
  await tour.api.post('/api/fleet/leave');
}
