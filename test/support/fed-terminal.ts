import { IN_MEMORY } from '../../src/workers/kept.js';
import { AwakeScreenLru } from '../../src/workers/shard/awake-screen-lru.js';
import { ParseLoop } from '../../src/workers/shard/parse-loop.js';
import type { StreamMessage } from '../../src/workers/shard/protocol.js';
import { SpareScreen } from '../../src/workers/shard/screen/spare-screen.js';
import { ScreenActor } from '../../src/workers/shard/screen-actor.js';
import { FeedRenderer } from '../../src/workers/shard/stages/feed-renderer.js';
import { SearchFeed } from '../../src/workers/shard/stages/search-feed.js';

type Printed = Extract<StreamMessage, { type: 'printed' }>;

interface Parameters {
  cursor?: string;
  end?: number;
  fault?: (error: unknown) => void;
  cols?: number;
  rows?: number;
  /** Shared by several terminals with one shard's budget. */
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
  const screenActor = new ScreenActor(
    {
      awake: new AwakeScreenLru(),
      spare: new SpareScreen(),
      spill: IN_MEMORY,
      loop,
      scrollback: 100,
      reply: () => {},
      confirm: () => {},
      save: () => {},
      fault,
    },
    { position: 0, ...screen, bytes: new Uint8Array(), confirmed: 0 },
  );
  const posted: Printed[] = [];
  const port = { isFull: false, post: (message: StreamMessage) => void posted.push(message as Printed) };
  const renderer = parameters.renderer ?? new FeedRenderer(loop);
  const options = { id: 't', screenActor, renderer, port, fault };
  const feed = new SearchFeed(options, { position: 0, end, ...screen }, cursor);
  return {
    ...{ feed, screenActor, posted, port, renderer },
    write: (text: string) => feed.write(Buffer.from(text)),
    settle: async () => (await feed.settle()).posted,
    contents: () => posted.map(({ content }) => content).filter((content) => content !== ''),
    leftOut: () => posted.reduce((sum, { leftOut }) => sum + leftOut, 0),
  };
}
