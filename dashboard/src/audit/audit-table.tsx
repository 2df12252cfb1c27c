import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import type { AuditEntry } from '../../../src/client/browser.js';
import { wordsOfPrincipal } from '../fleet/principal.js';
import { TerminalLink } from '../parts/terminal-link.js';
import { TextDialog } from '../parts/text-dialog.js';
import { countUpTo, type Ends, endsOf, outcomeOf, rowsOf, wordsOfAction } from './audit-words.js';

const ROW_HEIGHT = 28;
const COLUMNS = ['line', 'time', 'who', 'what', 'terminal', 'outcome'];

function Who({ by }: Pick<AuditEntry, 'by'>) {
  if (!by) return null;
  const isProgram = by.kind !== 'user';
  return (
    <>
      {wordsOfPrincipal(by)}
      {by.verified && isProgram && (
        <span className="count" title="The kernel knows that it runs there">
          {' '}
          verified
        </span>
      )}
    </>
  );
}

function Terminals({ terminalId, terminalIds = [] }: AuditEntry) {
  const [first = terminalId] = terminalIds;
  if (first === undefined) return null;
  return (
    <>
      <TerminalLink id={first} />
      {terminalIds.length > 1 && ` and ${(terminalIds.length - 1).toLocaleString()} more`}
    </>
  );
}

interface RowProps {
  line: AuditEntry;
  ends: Ends;
  at: number;
  onOpen: (line: AuditEntry) => void;
}

function Row({ line, ends, at, onOpen }: RowProps) {
  const time = new Date(line.at);
  const outcome = outcomeOf(line, ends);
  const action = wordsOfAction(ends.byLine.get(line.n) ?? line);
  return (
    <tr aria-rowindex={at + 2} style={{ height: ROW_HEIGHT }}>
      <td className="audit-line">
        <button type="button" aria-label={`Show line ${line.n}`} onClick={() => onOpen(line)}>
          {line.n}
        </button>
      </td>
      <td className="audit-time">
        <time dateTime={time.toISOString()}>
          <span className="less">{time.toLocaleDateString()} </span>
          {time.toLocaleTimeString()}
        </time>
      </td>
      <td>
        <Who by={line.by} />
      </td>
      <td title={action}>{action}</td>
      <td>
        <Terminals {...line} />
      </td>
      <td className={outcome.isBad ? 'exit-bad' : undefined}>{outcome.words}</td>
    </tr>
  );
}

/** Returns the line, and the line with the outcome of its text, as the log has them. */
function linesOf(line: AuditEntry, ends: Ends): string {
  const end = ends.byLine.get(line.n);
  return (end ? [line, end] : [line]).map((each) => JSON.stringify(each, null, 2)).join('\n');
}

interface AuditTableProps {
  /** Oldest first. */
  lines: readonly AuditEntry[];
  /** Whether the lines include the outcomes of texts: no filter leaves them out. */
  isComplete: boolean;
}

/** The lines, newest first; only rows in view are rendered. New lines wait while a person reads older lines. */
export function AuditTable({ lines, isComplete }: AuditTableProps) {
  const scrollRef = useRef<HTMLElement>(null);
  /** Newest line that is shown while older lines are read. */
  const [held, setHeld] = useState<number>();
  const [opened, open] = useState<AuditEntry>();
  const ends = useMemo(() => endsOf(lines, isComplete), [lines, isComplete]);
  const rows = useMemo(() => rowsOf(lines), [lines]);
  const count = held === undefined ? rows.length : countUpTo(rows, held);
  const fresh = rows.length - count;
  const lineAt = (at: number) => rows[count - 1 - at]!;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (at) => lineAt(at).n,
    overscan: 4,
  });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <>
      {fresh > 0 && (
        <p className="audit-fresh" role="status">
          <button type="button" onClick={() => scrollRef.current?.scrollTo({ top: 0 })}>
            {fresh === 1 ? '1 new line' : `${fresh.toLocaleString()} new lines`} ↑
          </button>
        </p>
      )}
      <section
        ref={scrollRef}
        className="guardrails-scroll audit-scroll"
        aria-label="Lines"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by key
        tabIndex={0}
        onScroll={({ currentTarget }) =>
          setHeld((known) => (currentTarget.scrollTop > 0 ? (known ?? rows.at(-1)?.n) : undefined))
        }
      >
        <table aria-rowcount={count + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {COLUMNS.map((name) => (
                <th key={name} scope="col" className={`audit-${name}`}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {before > 0 && <tr aria-hidden="true" style={{ height: before }} />}
            {items.map(({ index }) => {
              const line = lineAt(index);
              return <Row key={line.n} line={line} ends={ends} at={index} onOpen={open} />;
            })}
            {after > 0 && <tr aria-hidden="true" style={{ height: after }} />}
          </tbody>
        </table>
      </section>
      {opened && (
        <TextDialog title={`Line ${opened.n}`} text={linesOf(opened, ends)} onClose={() => open(undefined)} />
      )}
    </>
  );
}
