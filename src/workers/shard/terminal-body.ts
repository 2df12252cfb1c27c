import type { RestoreState } from '../pty-host/terminal-sink.js';
import type { Home } from './home.js';
import { OutputStream } from './output-stream.js';
import type { OpenTerminal, StreamMessage } from './protocol.js';
import type { RenderTurns } from './render-turns.js';
import { ScreenKeeper } from './screen-keeper.js';
import { SecretCover } from './secret-cover.js';
import { CommandTracker } from './taps/command-tracker.js';
import { SearchFeed } from './taps/search-feed.js';
import { ShownText } from './taps/shown-text.js';

/** What exists of a terminal once the pty host has said where it stands. */
export interface Body {
  /** Its output goes through the tracker and the feed to the keeper. */
  tracker: CommandTracker;
  /** Undefined for one that is not indexed. */
  feed: SearchFeed | undefined;
  keeper: ScreenKeeper;
  shown: ShownText;
  /** Its output goes this way to those who watch. */
  stream: OutputStream;
  /** Of output on its way to anybody outside. */
  cover: SecretCover;
  /** What marks of its shells carry. */
  secret: string;
  renders: RenderTurns;
  /** Bytes of output known here. */
  received: number;
  /** When the last of them came, else when the terminal was taken in; of `performance.now`. */
  wroteAt: number;
  /** As the pty host has told. */
  size: { cols: number; rows: number };
  /** Position up to which the pty host replays what it knew at the attach. */
  replayEnd: number;
  /** Position up to which another shard has streamed, and told of resizes. */
  streamedEnd: number;
}

/** @param beforeSave - called before the pty host is told to forget output */
export function newBody(
  home: Home,
  terminal: OpenTerminal,
  state: RestoreState,
  beforeSave: () => void,
): Body {
  const { awake, host, interest, loop, port, renderer, renders, scrollback, spare, spill } = home;
  const { id, handle, isNew, index, commands } = terminal;
  const stream = new OutputStream({ id, position: state.position, port, watched: () => interest.of(id) });
  const fault = (error: unknown) => port.post({ type: 'fault', id, error: describe(error) });
  const keeper = new ScreenKeeper(
    {
      loop,
      awake,
      spill,
      spare,
      scrollback,
      reply: (data) => host.input(handle, Buffer.from(data, 'utf8')),
      confirm: (position) => host.confirm(handle, position),
      save: (checkpoint) => {
        beforeSave();
        host.checkpoint(handle, checkpoint);
      },
      fault,
    },
    state,
  );
  const origin = { position: state.position, pending: keeper.pending() };
  const feed = index && new SearchFeed({ id, keeper, renderer, port, fault }, state, index.cursor);
  // What a command has printed goes out before word of its end.
  const told = { post: (message: StreamMessage) => stream.event(message) };
  const tracker = new CommandTracker(
    { id, keeper, next: feed ?? keeper, port: told, fault },
    origin,
    commands,
  );
  const shown = new ShownText({ keeper, stretches: tracker.stretches, fault });
  const secret = commands.nonce;
  const cover = new SecretCover(secret);
  cover.cover(origin.pending);
  return {
    ...{ keeper, shown, stream, feed, tracker, cover, secret, renders },
    received: state.position,
    wroteAt: performance.now(),
    size: { cols: state.cols, rows: state.rows },
    replayEnd: state.end,
    streamedEnd: isNew ? 0 : state.end,
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
