import { type FormEvent, useEffect, useRef, useState } from 'react';
import { plainLabel } from '../fleet/words.js';
import { BatchKey } from './batch-key.js';
import { BatchResults } from './batch-results.js';
import { runBatch, useBatch } from './batch-run.js';
import { choose, setOpen } from './selection.js';
import { type BatchTargets, namesOf } from './targets.js';

interface BatchBarProps {
  targets: BatchTargets | undefined;
  /** Number of chosen terminals. */
  chosen: number;
  order: readonly string[];
  /** Gives the focus back to the tiles. */
  onLeave: () => void;
}

const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 3_600;

/** The terminals in which the command would run. */
function Targets({ targets, chosen, order }: Omit<BatchBarProps, 'onLeave'>) {
  return (
    <div className="batch-targets">
      <span role="status">
        {targets ? (
          <>
            <strong>{targets.terminals.length.toLocaleString()}</strong>{' '}
            {typeof targets.select === 'string' ? (
              <>
                with <code>{plainLabel(targets.select)}</code>
              </>
            ) : (
              'selected'
            )}
            : {namesOf(targets.terminals.map(({ name }) => plainLabel(name)))}
            {targets.exited > 0 && ` (${targets.exited.toLocaleString()} exited, left out)`}
          </>
        ) : (
          'Select terminals first: x on a tile, shift+x to a tile, * for all shown, or click tiles. Or filter by label.'
        )}
      </span>
      <button type="button" onClick={() => choose(order)} disabled={order.length === 0}>
        Select all shown ({order.length.toLocaleString()})
      </button>
      {chosen > 0 && (
        <button type="button" onClick={() => choose([])}>
          Select none
        </button>
      )}
    </div>
  );
}

/** The bar that runs a command in many terminals, and its results. */
export function BatchBar({ targets, chosen, order, onLeave }: BatchBarProps) {
  const [command, setCommand] = useState('');
  const [seconds, setSeconds] = useState(DEFAULT_SECONDS);
  const state = useBatch((batch) => batch.state);
  const commandRef = useRef<HTMLInputElement>(null);
  useEffect(() => commandRef.current?.focus(), []);

  const count = targets?.terminals.length ?? 0;
  const isBusy = state === 'running' || state === 'cancelling';
  const timeoutMs = Math.min(MAX_SECONDS, Math.max(1, seconds)) * 1_000;
  const run = (event: FormEvent) => {
    event.preventDefault();
    if (!targets || count === 0 || command.trim() === '' || isBusy) return;
    const names = new Map(targets.terminals.map(({ id, name }) => [id, name]));
    void runBatch({ command, select: targets.select, names, timeoutMs });
  };
  return (
    <section className="batch" aria-label="Batch">
      <Targets targets={targets} chosen={chosen} order={order} />
      <form className="batch-form" onSubmit={run}>
        <input
          ref={commandRef}
          className="filter"
          aria-label="Command"
          placeholder="command"
          spellCheck={false}
          autoComplete="off"
          value={command}
          onChange={({ target }) => setCommand(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.currentTarget.blur();
            onLeave();
          }}
        />
        <label>
          timeout{' '}
          <input
            type="number"
            className="batch-seconds"
            min={1}
            max={MAX_SECONDS}
            value={seconds}
            onChange={({ target }) => setSeconds(target.valueAsNumber || 0)}
          />{' '}
          s
        </label>
        <button type="submit" disabled={count === 0 || command.trim() === '' || isBusy}>
          {count === 0 ? 'Run' : `Run in ${count.toLocaleString()}`}
        </button>
        <BatchKey targets={targets} />
        <button type="button" aria-label="Close the batch bar" onClick={() => setOpen(false)}>
          ✕
        </button>
      </form>
      {state !== 'none' && <BatchResults timeoutMs={timeoutMs} />}
    </section>
  );
}
