import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { plainLabel } from '../fleet/words.js';
import { TextDialog } from '../parts/text-dialog.js';
import { service, wordsOf } from '../service.js';

/** Most bytes of a command's output that are shown. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
const PAGE_LINES = 500;

interface CommandDialogProps {
  terminalId: string;
  command: { id: string; commandLine?: string; endedAt?: number | null };
  onClose: () => void;
}

/** The output of one command. */
export function CommandDialog({ terminalId, command, onClose }: CommandDialogProps) {
  const { data, error } = useQuery({
    // The end is part of the key, so that the output of a running command is read again once it has ended.
    queryKey: ['command-output', terminalId, command.id, command.endedAt],
    queryFn: ({ signal }) =>
      service.terminals.get(terminalId).commandOutput(command.id, { maxBytes: MAX_OUTPUT_BYTES, signal }),
  });
  const title = command.commandLine === undefined ? 'Output of the command' : plainLabel(command.commandLine);
  if (error) return <TextDialog title={title} text="" note={wordsOf(error)} onClose={onClose} />;
  const note = data?.truncated
    ? 'The beginning is missing.'
    : data?.raw === ''
      ? 'It has printed nothing.'
      : undefined;
  return <TextDialog title={title} text={data?.raw} note={note} onClose={onClose} />;
}

/** The terminal's screen as text, for screen readers, which get nothing from the screen itself. */
export function ScreenDialog({ read, onClose }: { read: () => string; onClose: () => void }) {
  const [text, setText] = useState(read);
  return (
    <TextDialog title="Screen as text" text={text} onClose={onClose}>
      <button type="button" onClick={() => setText(read())}>
        Read again
      </button>
    </TextDialog>
  );
}

/** The output of the terminal, page by page from the end. Lines without text are left out, as by the service. */
export function EarlierDialog({ terminalId, onClose }: { terminalId: string; onClose: () => void }) {
  const [lines, setLines] = useState(PAGE_LINES);
  const { data, error } = useQuery({
    queryKey: ['output', terminalId, lines],
    queryFn: async ({ signal }) => {
      const terminal = service.terminals.get(terminalId);
      const { totalLines } = await terminal.output({ lines: 1, signal });
      const offset = Math.max(0, totalLines - lines);
      return { ...(await terminal.output({ offset, lines, signal })), totalLines };
    },
    staleTime: 0,
    placeholderData: (before) => before,
  });
  const shown = Math.min(lines, data?.totalLines ?? 0);
  return (
    <TextDialog
      title="Earlier output"
      text={data?.raw}
      note={
        error
          ? wordsOf(error)
          : data &&
            `The last ${shown.toLocaleString()} of ${data.totalLines.toLocaleString()} lines with text.`
      }
      onClose={onClose}
    >
      {data !== undefined && data.totalLines > lines && (
        <button type="button" onClick={() => setLines(lines * 4)}>
          Show more
        </button>
      )}
    </TextDialog>
  );
}
