import { useState } from 'react';
import type { ExportFormat, RecordingSummary } from '../../../src/client/browser.js';
import { download } from '../parts/download.js';
import { attempt } from '../parts/toasts.js';
import { service } from '../service.js';
import { FORMAT_IDS, FORMATS, fileNameOf } from './recording-list.js';

async function exported(recording: RecordingSummary, format: ExportFormat): Promise<void> {
  const parts: BlobPart[] = [];
  for await (const piece of service.recordings.export(recording.id, format)) parts.push(piece as BlobPart);
  download(fileNameOf(recording, format), FORMATS[format].type, parts);
}

/** Stores a recording as a file. */
export function ExportButton({ recording }: { recording: RecordingSummary }) {
  const [format, setFormat] = useState<ExportFormat>('asciicast');
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    await attempt('The recording could not be exported', exported(recording, format));
    setBusy(false);
  };
  return (
    <>
      <select
        aria-label="Format"
        value={format}
        onChange={({ target }) => setFormat(target.value as ExportFormat)}
      >
        {FORMAT_IDS.map((id) => (
          <option key={id} value={id}>
            {FORMATS[id].name}
          </option>
        ))}
      </select>{' '}
      <button type="button" onClick={run} disabled={isBusy}>
        {isBusy ? 'Exporting' : 'Export'}
      </button>
    </>
  );
}
