import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFleet } from '../fleet/fleet-store.js';
import { type Look, newsOf } from '../looked/looks.js';
import { Age } from '../parts/age.js';
import { TextDialog } from '../parts/text-dialog.js';
import { service, wordsOf } from '../service.js';
import { useCommands } from './use-commands.js';

/** Most bytes of the new output that are shown. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

interface SinceLookedProps {
  terminalId: string;
  before: Look;
  onForget: () => void;
}

/** The events in the terminal since the latest look at it; nothing if there were none. */
export function SinceLooked({ terminalId, before, onForget }: SinceLookedProps) {
  const terminal = useFleet((state) => state.terminals.get(terminalId));
  const { list } = useCommands(terminalId);
  const [isReading, setReading] = useState(false);
  // Events while a person looks are no news.
  const [until] = useState(() => Date.now());
  const news = newsOf(terminal, list?.commands ?? [], { since: before.at, until });
  if (news.length === 0) return null;
  return (
    <div className="since-looked">
      <span>
        {before.isNone ? (
          'You have not looked at it yet: '
        ) : (
          <>
            Since you looked, <Age since={before.at} /> ago:{' '}
          </>
        )}
        {news.join('; ')}
      </span>
      {before.cursor !== undefined && (
        <button type="button" onClick={() => setReading(true)}>
          Output since then
        </button>
      )}
      <button type="button" aria-label="Hide what is new" onClick={onForget}>
        ✕
      </button>
      {isReading && before.cursor !== undefined && (
        <NewOutput terminalId={terminalId} cursor={before.cursor} onClose={() => setReading(false)} />
      )}
    </div>
  );
}

function NewOutput(props: { terminalId: string; cursor: string; onClose: () => void }) {
  const { terminalId, cursor, onClose } = props;
  const { data, error } = useQuery({
    queryKey: ['output-since', terminalId, cursor],
    queryFn: async ({ signal }) => {
      const cursors = { [terminalId]: cursor };
      const { changes } = await service.terminals.changes(cursors, { maxBytes: MAX_OUTPUT_BYTES, signal });
      return changes[0] ?? { raw: '', gap: false, truncated: false };
    },
    staleTime: 0,
  });
  const isCut = data?.gap || data?.truncated;
  const note = error
    ? wordsOf(error)
    : isCut
      ? 'The beginning is missing.'
      : data?.raw === ''
        ? 'It has printed nothing.'
        : undefined;
  return <TextDialog title="Output since you looked" text={data?.raw} note={note} onClose={onClose} />;
}
