import { useEffect, useMemo, useRef } from 'react';
import { Link, useParams, useSearchParams } from 'wouter';
import { useFleet } from '../fleet/fleet-store.js';
import { plainLabel } from '../fleet/words.js';
import { useShortcuts } from '../parts/shortcuts.js';
import { wordsOf } from '../service.js';
import '../style/player.css';
import { clockTime, markBeside, SPEEDS, speedBeside, withoutIdle } from './cast.js';
import { ExportButton } from './export-button.js';
import { PlayerSide } from './player-side.js';
import { useFrame } from './use-frame.js';
import { type LoadedRecording, useRecording } from './use-recording.js';

const STEP_SECONDS = 5;
/** Choices of the longest pause, in seconds. */
const IDLE_LIMITS = [1, 2, 5, 10] as const;

/** Returns the state of playback in the page's address, so that a link restores it. */
function usePlayQuery() {
  const [parameters, setParameters] = useSearchParams();
  const speed = Number(parameters.get('speed'));
  const idle = Number(parameters.get('idle'));
  const change = (part: Record<string, string>) => {
    const next = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(part)) {
      if (value === '') next.delete(name);
      else next.set(name, value);
    }
    setParameters(next, { replace: true });
  };
  return {
    t: Math.max(0, Number(parameters.get('t')) || 0),
    speed: SPEEDS.find((each) => each === speed) ?? 1,
    idle: IDLE_LIMITS.find((each) => each === idle),
    change,
  };
}

function Player({ recording }: { recording: LoadedRecording }) {
  const { info, marks } = recording;
  const { t, speed, idle, change } = usePlayQuery();
  const buttonRef = useRef<HTMLButtonElement>(null);
  const findRef = useRef<HTMLInputElement>(null);
  const { ref, state, post } = useFrame(() => buttonRef.current?.focus());
  const { cast, clock } = useMemo(() => withoutIdle(recording.cast, idle), [recording, idle]);
  const terminal = useFleet(({ terminals }) => terminals.get(info.terminalId));
  /** Second of the recording, which stays the same when pauses are cut. */
  const recordedAt = useRef(t);
  const lastClock = useRef(clock);
  if (lastClock.current === clock && state.isReady && state.at > 0) {
    recordedAt.current = clock.recordedAt(state.at);
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is played decides, not where it is
  useEffect(() => {
    if (!state.isReady) return;
    lastClock.current = clock;
    post({
      kind: 'load',
      cast,
      startAt: clock.playedAt(recordedAt.current),
      speed,
      markers: marks.map(({ at, label }) => [clock.playedAt(at), plainLabel(label)]),
    });
  }, [state.isReady, cast, speed]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the address follows the player, not the player the address
  useEffect(() => {
    if (!state.isPlaying && state.at > 0) change({ t: recordedAt.current.toFixed(1) });
  }, [state.isPlaying, state.at]);

  const seek = (recorded: number) => {
    const to = Math.max(0, recorded);
    recordedAt.current = to;
    post({ kind: 'seek', to: clock.playedAt(to) });
  };
  const toMark = (by: 1 | -1) => {
    const mark = markBeside(marks, recordedAt.current, by);
    if (mark) seek(mark.at);
  };
  const setSpeed = (next: number) => change({ speed: next === 1 ? '' : String(next) });
  const toggle = () => post({ kind: 'toggle' });
  useShortcuts({
    Space: toggle,
    ArrowLeft: () => seek(recordedAt.current - STEP_SECONDS),
    ArrowRight: () => seek(recordedAt.current + STEP_SECONDS),
    '[': () => toMark(-1),
    ']': () => toMark(1),
    '<': () => setSpeed(speedBeside(speed, -1)),
    '>': () => setSpeed(speedBeside(speed, 1)),
    '/': () => findRef.current?.focus(),
  });
  return (
    <>
      <header className="bar">
        <Link href="/recordings">Recordings</Link>
        <h1>
          {plainLabel(terminal?.name ?? info.terminalId)}{' '}
          <span className="count">{new Date(info.startTime).toLocaleString()}</span>
        </h1>
        <button ref={buttonRef} type="button" onClick={toggle}>
          {state.isPlaying ? 'Pause' : 'Play'}
        </button>
        <span className="count">{clockTime(recordedAt.current)}</span>
        <label>
          speed{' '}
          <select value={speed} onChange={({ target }) => setSpeed(Number(target.value))}>
            {SPEEDS.map((each) => (
              <option key={each} value={each}>
                {each}×
              </option>
            ))}
          </select>
        </label>
        <label>
          pauses{' '}
          <select value={idle ?? ''} onChange={({ target }) => change({ idle: target.value })}>
            <option value="">as recorded</option>
            {IDLE_LIMITS.map((seconds) => (
              <option key={seconds} value={seconds}>
                at most {seconds} s
              </option>
            ))}
          </select>
        </label>
        <span>
          <ExportButton recording={info} />
        </span>
        <span className="count player-keys">
          <kbd>Space</kbd> <kbd>←</kbd> <kbd>→</kbd> <kbd>[</kbd> <kbd>]</kbd> <kbd>&lt;</kbd> <kbd>&gt;</kbd>{' '}
          <kbd>/</kbd>
        </span>
      </header>
      {state.error !== undefined && <p role="alert">{state.error}</p>}
      <div className="player-body">
        <iframe ref={ref} src="/player.html" title="Player" />
        <PlayerSide
          events={recording.cast.events}
          marks={marks}
          inputRef={findRef}
          onSeek={seek}
          onLeave={() => buttonRef.current?.focus()}
        />
      </div>
    </>
  );
}

/** Plays a recording. */
export default function PlayerPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { data, error } = useRecording(id);
  return (
    <main className="player">
      {data && <Player key={id} recording={data} />}
      {error && (
        <div className="empty">
          <p role="alert">{wordsOf(error)}</p>
          <Link href="/recordings">Go to the recordings</Link>
        </div>
      )}
      {!data && !error && <p className="empty">Loading…</p>}
    </main>
  );
}
