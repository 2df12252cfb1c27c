import { AttachClient } from '../attach-client.js';
import type { Tour } from './tour.js';

/** Attaches two people to a terminal, each in a window of their own. */
export async function attachPeople(tour: Tour, tests: string): Promise<void> {
  const path = { id: tests };
  const people = [
    { name: 'laptop', cols: 120, rows: 32, readOnly: false },
    { name: 'wall', cols: 200, rows: 60, readOnly: true },
  ];
  const clients = [];
  for (const person of people) {
    const client = await AttachClient.open(tour.api.url);
    clients.push({ client, ...(await client.attach(tests, person)) });
  }
  await tour.call('GET /api/terminals/{id}/clients', { path });
  const { clientId } = clients[0]!;
  await tour.call('DELETE /api/terminals/{id}/clients/{clientId}', { path: { ...path, clientId } });
  await tour.call('DELETE /api/terminals/{id}/clients', { path });
  for (const { client } of clients) await client.watcher.close();
}

/** Streams the output of a program unchanged, as into a file. */
export async function streamOutput(tour: Tour): Promise<void> {
  const command = ['printf', 'cart: 5 passed\\n'];
  const { body } = await tour.api.post<{ id: string }>('/api/terminals', { command, hold: true });
  await tour.call('GET /api/terminals/{id}/stream', { path: { id: body.id }, query: { from: 'start' } });
  await tour.api.delete(`/api/terminals/${body.id}`);
}
