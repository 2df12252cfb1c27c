import { expect, it } from 'vitest';
import { useService } from '../support/use-service.js';
import { watchCrowd } from '../support/watched-crowd.js';

const used = useService();

it('each of 1,000 watches counts each line of 300 terminals once, while five of them flood', async () => {
  await watchCrowd(used.api, { watches: 1_000, terminals: 300, floods: 5 });
  expect((await used.api.get<string>('/metrics')).body).toContain('auto_terminal_watch_matches_total 2000');
}, 600_000);
