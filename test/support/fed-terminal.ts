import { onTestFinished } from 'vitest';
import { ParseLoop } from '../../src/workers/shard/parse-loop.js';
import type { StreamMessage } from '../../src/workers/shard/protocol.js';
import { FULL_ROW } from '../../src/workers/shard/screen/text/full-row.js';
import { FeedRenderer } from '../../src/workers/shard/stages/feed-renderer.js';
import { SearchFeed } from '../../src/workers/shard/stages/search-feed.js';
import { screenActor as screenActorOf } from './screen-actor.js';

type Printed = Extract<StreamMessage, { type: 'printed' }>;

interface Parameters {
  cursor?: string;
  end?: number;
  fault?: (error: unknown) => void;
  cols?: number;
  rows?: number;
  /** Pass the same renderer to several terminals to share one shard's budget. */
  renderer?: FeedRenderer;
}

function thrown(error: unknown): never {
  throw error;
}

/** A terminal without output, and its feed to the search index. */
export function fedTerminal(parameters: Parameters = {}) {
  const { cursor, end = 0, fault = thrown, cols = 80, rows = 24 } = parameters;
  const loop = new ParseLoop();
  const screen = { cols, rows };
  const screenActor = screenActorOf(screen, { loop, fault });
  const posted: Printed[] = [];
  const port = { isFull: false, post: (message: StreamMessage) => void posted.push(message as Printed) };
  const renderer = parameters.renderer ?? new FeedRenderer(loop);
  const options = { id: 't', screenActor, renderer, port, fault };
  const feed = new SearchFeed(options, { position: 0, end, ...screen }, cursor);
  onTestFinished(() => feed.close());
  return {
    ...{ feed, screenActor, posted, port, renderer },
    write: (text: string) => feed.write(Buffer.from(text)),
    settle: async () => (await feed.settle()).posted,
    contents: () => posted.map(({ content }) => content).filter((content) => content !== ''),
    leftOut: () => posted.reduce((sum, { leftOut }) => sum + leftOut, 0),
  };
}

/** Returns posted lines without the marks of full rows, which only rendered lines have. */
export function unmarked(posted: readonly Printed[]): Printed[] {
  return posted.map((each) => ({ ...each, content: each.content.replaceAll(FULL_ROW, '') }));
}
