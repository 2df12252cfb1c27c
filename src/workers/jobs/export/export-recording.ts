import { move, transferableSymbol, valueSymbol } from 'piscina';
import { EXPORT_SLICE_BYTES } from '../../../contract/limits.js';
import type { ExportFormat } from '../../../contract/recording.js';
import { DamagedRecording, readEvents, readHead } from '../../../store/recording-reader.js';
import { renderAsciicast } from './asciicast.js';
import { renderHtml } from './html.js';
import { renderJson } from './json.js';
import { firstProgress, type Progress, type Renderer } from './renderer.js';
import { renderText } from './text.js';

const RENDERERS: Record<ExportFormat, Renderer> = {
  json: renderJson,
  text: renderText,
  html: renderHtml,
  asciicast: renderAsciicast,
};

/** How far an export has come: plain data, since each slice may be made by another thread. */
export interface ExportCursor {
  /** Of the file. */
  offset: number;
  progress: Progress;
}

export interface ExportInput {
  /** Of the finished recording; it stays open until the job has ended. */
  fd: number;
  format: ExportFormat;
  /** From the slice before; none for the first. */
  cursor?: ExportCursor;
}

/** A piece of the export, UTF-8, and where the next one begins; the last has no cursor. */
export interface ExportSlice {
  chunk: ArrayBuffer;
  cursor?: ExportCursor;
}

/**
 * Makes the next piece of an export. A job for each piece, and none between two: who downloads slowly, or not at
 * all, holds no thread. Throws DamagedRecording when the file has not the events that its head counts.
 */
export function exportRecording({ fd, format, cursor }: ExportInput): ExportSlice {
  const { begin, render, end } = RENDERERS[format];
  const { head, width } = readHead(fd, 'the recording');
  const { journal: _, ...facts } = head;
  const progress = cursor?.progress ?? firstProgress();
  const { events, next } = readEvents(fd, cursor?.offset ?? width, EXPORT_SLICE_BYTES);
  let text = cursor ? '' : begin(facts);
  text += render(events, progress);
  progress.events += events.length;
  if (next === undefined) {
    if (progress.events !== head.event_count)
      throw new DamagedRecording(`${head.id}: ${progress.events} events of ${head.event_count}`);
    text += end(progress);
  }
  return moved(new TextEncoder().encode(text), next === undefined ? undefined : { offset: next, progress });
}

/** The pool unpacks it: the chunk moves to the main thread without a copy. */
function moved(bytes: Uint8Array, cursor: ExportCursor | undefined): ExportSlice {
  const { buffer } = bytes;
  const isExact = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  const chunk = isExact ? buffer : (bytes.slice().buffer as ArrayBuffer);
  return move({ [transferableSymbol]: chunk, [valueSymbol]: { chunk, cursor } }) as unknown as ExportSlice;
}
