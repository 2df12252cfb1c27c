import { useMemo, useState } from 'react';
import { plainLabel } from '../fleet/words.js';
import { download } from '../parts/download.js';
import { attempt } from '../parts/toasts.js';
import { cancelBatch, runBatch, useBatch } from './batch-run.js';
import { GroupTable } from './group-table.js';
import { hasFailed, summaryOf } from './groups.js';
import { RowTable } from './row-table.js';
import { csvOf, jsonOf } from './table-file.js';

/** Results of a command in each terminal, grouped by output or one by one. */
export function BatchResults({ timeoutMs }: { timeoutMs: number }) {
  const { command, state, error, rows: byId } = useBatch();
  const [isGrouped, setGrouped] = useState(true);
  const rows = useMemo(() => [...byId.values()], [byId]);
  const failed = rows.filter(hasFailed);
  const isBusy = state === 'running' || state === 'cancelling';
  const rerun = () => {
    const names = new Map(failed.map(({ terminalId, name }) => [terminalId, name]));
    void runBatch({ command, select: [...names.keys()], names, timeoutMs }, { keepsRows: true });
  };
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '');
  return (
    <>
      <div className="batch-summary">
        <span role="status">
          <strong>{summaryOf(rows)}</strong> <code>{plainLabel(command)}</code>
        </span>
        <fieldset className="sizes" aria-label="Arrange the results">
          <button type="button" aria-pressed={isGrouped} onClick={() => setGrouped(true)}>
            by output
          </button>
          <button type="button" aria-pressed={!isGrouped} onClick={() => setGrouped(false)}>
            by terminal
          </button>
        </fieldset>
        {isBusy && (
          <button
            type="button"
            disabled={state === 'cancelling'}
            onClick={() => attempt('The run could not be cancelled', cancelBatch())}
          >
            {state === 'cancelling' ? 'Cancelling' : 'Cancel'}
          </button>
        )}
        {!isBusy && failed.length > 0 && (
          <button type="button" onClick={rerun}>
            Rerun the failed ({failed.length.toLocaleString()})
          </button>
        )}
        {!isBusy && rows.length > 0 && (
          <>
            <button type="button" onClick={() => download(`batch-${stamp}.csv`, 'text/csv', [csvOf(rows)])}>
              CSV
            </button>
            <button
              type="button"
              onClick={() => download(`batch-${stamp}.json`, 'application/json', [jsonOf(command, rows)])}
            >
              JSON
            </button>
          </>
        )}
      </div>
      {error !== undefined && (
        <p className="batch-error" role="alert">
          {error}
        </p>
      )}
      <div className="batch-table">{isGrouped ? <GroupTable rows={rows} /> : <RowTable rows={rows} />}</div>
    </>
  );
}
