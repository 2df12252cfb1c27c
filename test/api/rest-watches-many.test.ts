import { expect, it } from 'vitest';
import { useService } from '../support/use-service.js';
import { watchCrowd } from '../support/watched-crowd.js';

const used = useService();

it('each of 100 watches counts each line of 20 terminals once, while two of them flood', async () => {
  await watchCrowd(used.api, { watches: 100, terminals: 20, floods: 2 });
  expect((await used.api.get<string>('/metrics')).body).toContain('auto_terminal_watch_matches_total 200');
});
