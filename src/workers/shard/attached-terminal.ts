import type { LimitFunction } from 'p-limit';
import { DomainError } from '../../contract/errors.js';
import { hrMs } from '../clock.js';
import type { RestoreState } from '../pty-host/client/terminal-sink.js';
import type { Checkpoint } from './checkpoints.js';
import { OutputStream } from './output-stream.js';
import type { OpenTerminal, StreamMessage } from './protocol.js';
import { ScreenActor } from './screen-actor.js';
import { SecretCover } from './secret-cover.js';
import type { ShardContext } from './shard-context.js';
import { CommandTracker } from './stages/command-tracker.js';
import { SearchFeed } from './stages/search-feed.js';
import { ShownText } from './stages/shown-text.js';

/** Parts of a terminal that exist once the pty host has sent its state. */
export interface AttachedTerminal {
  /** Output passes through the tracker and then the feed to the screen actor. */
  tracker: CommandTracker;
  /** Undefined if the terminal is not indexed. */
  feed: SearchFeed | undefined;
  screenActor: ScreenActor;
  shown: ShownText;
  /** Passes output to watching clients. */
  stream: OutputStream;
  /** Covers the secret in output for clients and recordings. */
  cover: SecretCover;
  /** Nonce that the marks of the terminal's shells carry. */
  secret: string;
  renders: LimitFunction;
  /** Position after the last output received. */
  received: number;
  /** Time of the last output, or of taking the terminal in if there was none, on the clock of {@link hrMs}. */
  printedAt: number;
  /** Size that the pty host reported last. */
  size: { cols: number; rows: number };
  /** Number of resizes that the pty host has reported to this shard. */
  resizes: number;
  /** Position where the replay ends: the pty host had output up to there when the shard attached. */
  replayEnd: number;
  /** Position up to which another shard has streamed output and reported resizes. */
  streamedEnd: number;
  /** Set once the program has exited; resolves once that is posted. */
  exited: Promise<void> | undefined;
}

interface HostHooks {
  /** Called before each checkpoint, which makes the pty host forget older output. */
  beforeSave: (checkpoint: Checkpoint) => void;
  /** Called once everything up to `position` is taken in. */
  confirm: (position: number) => void;
}

export function newAttachedTerminal(
  context: ShardContext,
  terminal: OpenTerminal,
  state: RestoreState,
  { beforeSave, confirm }: HostHooks,
): AttachedTerminal {
  const { awake, host, interest, loop, port, renderer, renders, scrollback, spare, spill, wakes } = context;
  const { id, handle, isNew, index, commands } = terminal;
  const stream = new OutputStream({ id, position: state.position, port, watched: () => interest.of(id) });
  const fault = (error: unknown) => port.post({ type: 'fault', id, error: describe(error) });
  const screenActor = new ScreenActor(
    {
      loop,
      awake,
      wakes,
      spill,
      spare,
      scrollback,
      reply: (data) => host.input(handle, Buffer.from(data, 'utf8')),
      confirm,
      save: (checkpoint) => {
        beforeSave(checkpoint);
        host.checkpoint(handle, checkpoint);
      },
      fault,
    },
    state,
  );
  const origin = { position: state.position, pending: screenActor.pending() };
  const feed = index && new SearchFeed({ id, screenActor, renderer, port, fault }, state, index.cursor);
  // Marks go through the stream, so that a command's output is posted before the report of its end.
  const told = { post: (message: StreamMessage) => stream.event(message) };
  const tracker = new CommandTracker(
    { id, screenActor, next: feed ?? screenActor, port: told, fault },
    origin,
    commands,
  );
  const shown = new ShownText({ screenActor, shellRanges: tracker.shellRanges, fault });
  const secret = commands.nonce;
  const cover = new SecretCover(secret);
  cover.cover(origin.pending);
  return {
    screenActor,
    shown,
    stream,
    feed,
    tracker,
    cover,
    secret,
    renders,
    received: state.position,
    printedAt: hrMs(),
    size: { cols: state.cols, rows: state.rows },
    resizes: 0,
    replayEnd: state.end,
    streamedEnd: isNew ? 0 : state.end,
    exited: undefined,
  };
}

/** Resolves once all events of output that the screen actor has taken are posted. */
export async function eventsPosted({ tracker, stream }: AttachedTerminal): Promise<void> {
  await tracker.posted;
  await stream.posted;
}

/** Throws `terminal-not-found` if the program has exited, after that event. */
export async function refuseIfExited({ exited }: AttachedTerminal): Promise<void> {
  if (!exited) return;
  await exited;
  throw new DomainError('terminal-not-found');
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
