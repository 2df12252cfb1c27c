/**
 * The document of the player. It is apart from the dashboard, since its library makes markup and runs WebAssembly,
 * which the policy of the dashboard's own document forbids.
 */
import { create, type Player } from 'asciinema-player';
import 'asciinema-player/dist/bundle/asciinema-player.css';
import './player.css';
import type { CastEvent, ToFrame, ToPage } from './messages.js';

const REPORT_MS = 250;

const element = document.getElementById('player')!;
let player: Player | undefined;
/** Whether it plays, or will play once a recording is loaded. */
let isPlaying = false;
let reporting: ReturnType<typeof setInterval> | undefined;

function post(message: ToPage): void {
  parent.postMessage(message, location.origin);
}

function report(): void {
  if (player) {
    post({ kind: 'state', isPlaying, at: player.getCurrentTime(), duration: player.getDuration() });
  }
}

function setPlaying(next: boolean): void {
  isPlaying = next;
  report();
}

/** Loads a recording. The library cannot change its speed, so a new player replaces the old one, at `startAt`. */
function load({ cast, startAt, speed, markers }: ToFrame & { kind: 'load' }): void {
  const before = player;
  player = undefined;
  before?.dispose();
  clearInterval(reporting);
  // A custom parser returns milliseconds, unlike the rest of the library.
  const events = cast.events.map(([time, code, data]): CastEvent => [time * 1_000, code, data]);
  const made = create({ data: [], parser: () => ({ ...cast, events }) }, element, {
    preload: true,
    speed,
    markers,
    fit: 'both',
    controls: true,
    terminalFontFamily: 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace',
  });
  player = made;
  for (const [event, plays] of [
    ['playing', true],
    ['pause', false],
    ['ended', false],
  ] as const) {
    // A disposed player fires these events, too.
    made.addEventListener(event, () => player === made && setPlaying(plays));
  }
  // With its own `startAt` the library would start without the previous contents of the screen.
  void made.seek(startAt).then(() => player === made && isPlaying && made.play());
  reporting = setInterval(report, REPORT_MS);
}

function toggle(): void {
  setPlaying(!isPlaying);
  if (isPlaying) void player?.play();
  else void player?.pause();
}

function obey(message: ToFrame): void {
  if (message.kind === 'load') load(message);
  else if (message.kind === 'toggle') toggle();
  // Checked by kind, since others, such as browser extensions, send messages, too.
  else if (message.kind === 'seek') void player?.seek(message.to).then(report);
}

addEventListener('message', ({ origin, source, data }: MessageEvent<ToFrame>) => {
  if (origin !== location.origin || source !== parent) return;
  try {
    obey(data);
  } catch (error) {
    post({ kind: 'failed', error: error instanceof Error ? error.message : String(error) });
  }
});
addEventListener('keydown', ({ key }) => key === 'Escape' && post({ kind: 'leave' }), { capture: true });
post({ kind: 'ready' });
