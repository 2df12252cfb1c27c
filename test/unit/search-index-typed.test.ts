import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { SearchIndex } from '../../src/actors/search/search-index.js';
import type { SearchIndexOptions } from '../../src/actors/search/search-index-options.js';
import { NOT_REDACTED } from '../support/search.js';

let documents: string[];
let isShown: SearchIndexOptions['isShown'];
let index: SearchIndex;
beforeEach(() => {
  documents = [];
  isShown = async () => true;
  const store = {
    newestTimestamp: 0,
    append: ({ content }: { content: string }) => documents.push(content) > 0,
    cursorOf: () => undefined,
    clear: async () => {
      documents = [];
    },
  };
  index = new SearchIndex({
    ...{ store: store as never, jobs: {} as never, logger: {} as never },
    ...{ isEnabled: () => true, isPaused: () => false, settleFeeds: async () => {} },
    redaction: NOT_REDACTED,
    isShown: (id, typed) => isShown(id, typed),
  });
  index.planFor('term_a');
});

function type(data: string, { isHidden = false } = {}): void {
  index.onEvent({ type: 'written', id: 'term_a', parts: [{ data }], at: 0, isHidden, position: 5 });
}

it('indexes no input that a terminal did not echo, or has not shown, or whose echo is unknown', async () => {
  const asked: unknown[] = [];
  isShown = async (id, typed) => {
    asked.push([id, typed]);
    if (typed.texts[0]!.startsWith('gone')) throw new Error('the terminal has gone');
    return typed.texts[0]!.startsWith('shown');
  };
  type('hidden word\r', { isHidden: true });
  for (const line of ['shown word\r', 'unseen word\r', 'gone word\r']) type(line);
  await nextTurn();
  expect(asked[0]).toEqual(['term_a', { texts: ['shown word'], position: 5, isLine: true }]);
  expect([asked.length, documents]).toEqual([3, ['shown word']]);
});

it('indexes no line that was typed before all was cleared, and shown after it', async () => {
  let show = (_isShown: boolean) => {};
  isShown = () =>
    new Promise((resolve) => {
      show = resolve;
    });
  type('early word\r');
  await index.clear();
  show(true);
  isShown = async () => true;
  type('late word\r');
  await nextTurn();
  expect(documents).toEqual(['late word']);
});
