import { beforeEach, expect, it } from 'vitest';
import { SearchIndex } from '../../src/actors/search/search-index.js';
import { SecretFinder } from '../../src/workers/redaction/secret-finder.js';
import { SecretForms } from '../../src/workers/redaction/secret-forms.js';
import { SecretHash } from '../../src/workers/redaction/secret-hash.js';
import { Random } from '../support/random.js';
import { MAKERS } from '../support/secret-corpus.js';

const token = MAKERS.find(({ kind }) => kind === 'npm-token')!.make(new Random(1));

/** Takes note of each text in which secrets are looked for: a kept line is looked at again with the next piece. */
class NotingFinder extends SecretFinder {
  readonly texts: string[] = [];

  override find(text: string, from?: number) {
    this.texts.push(text);
    return super.find(text, from);
  }
}

let documents: string[];
let finder: NotingFinder;
let index: SearchIndex;
beforeEach(() => {
  documents = [];
  finder = new NotingFinder(
    new SecretHash(new Uint8Array(32)),
    new SecretForms({ patterns: {}, allow: [] }),
    [],
  );
  const store = {
    newestTimestamp: 0,
    append: ({ content }: { content: string }) => documents.push(content) > 0,
    cursorOf: () => undefined,
    setCursor: () => {},
    dropCursor: () => {},
  };
  index = new SearchIndex({
    ...{ store: store as never, jobs: {} as never, logger: {} as never },
    ...{
      isEnabled: () => true,
      isPaused: () => false,
      settleFeeds: async () => {},
      isShown: async () => true,
    },
    redaction: { isOn: () => true, finderOf: () => finder },
  });
  index.planFor('term_a');
});

/** Prints text whose last line has not ended, and returns the texts in which secrets were looked for. */
function print(content: string): string[] {
  finder.texts.length = 0;
  index.onEvent({ type: 'printed', id: 'term_a', content, cursor: '9-0-5-0', leftOut: 0 });
  return finder.texts;
}

const remove = (id: string) => index.onEvent({ type: 'removed', id, reason: 'closed' });

it('joins the last pieces of a terminal that is gone: a secret may lie in two of them', () => {
  print('x npm_');
  remove('term_a');
  const [half, rest] = [token.slice(4, 20), token.slice(20)];
  print(half);
  print(`${rest} y`);
  expect(documents.join('')).not.toContain(rest);
});

it('keeps the unfinished lines of a hundred terminals that are gone, and of no more', () => {
  print('a prompt$ ');
  remove('term_a');
  for (let n = 0; n < 100; n++) {
    index.planFor(`term_${n}`);
    index.onEvent({ type: 'printed', id: `term_${n}`, content: '$ ', cursor: '9-0-5-0', leftOut: 0 });
    remove(`term_${n}`);
  }
  expect(print('more')).toEqual(['more']);
});
