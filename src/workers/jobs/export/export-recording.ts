import { move, transferableSymbol, valueSymbol } from 'piscina';
import { RECORDING_SLICE_BYTES } from '../../../contract/limits.js';
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
interface ExportCursor {
  /** Of the file. */
  offset: number;
  progress: Progress;
  /** Events in all. */
  total: number;
  /** Goes from slice to slice: memory of its own for each would stay resident until the thread collects garbage. */
  memory: ArrayBuffer;
}

interface ExportInput {
  /** Of the finished recording; it stays open until the job has ended. */
  fd: number;
  format: ExportFormat;
  /** From the slice before; none for the first. Its memory is to be transferred. */
  cursor?: ExportCursor;
  /** Memory of the slice before, to be used again; to be transferred, too. */
  spare?: ArrayBuffer;
}

/** A piece of the export, UTF-8, and where the next one begins; the last has no cursor. */
export interface ExportSlice {
  /** A part of its memory, which is this slice's alone. */
  chunk: Uint8Array<ArrayBuffer>;
  cursor?: ExportCursor;
}

/**
 * Makes the next piece of an export. A job for each piece, and none between two: who downloads slowly, or not at
 * all, holds no thread. Throws DamagedRecording when the file has not the events that its head counts.
 */
export function exportRecording({ fd, format, cursor, spare }: ExportInput): ExportSlice {
  const renderer = RENDERERS[format];
  const { text: before, ...at } = cursor ? { text: '', ...cursor } : begin(fd, renderer);
  const { progress, total, memory } = at;
  const { events, next } = readEvents(fd, at.offset, Buffer.from(memory));
  let text = before + renderer.render(events, progress);
  progress.events += events.length;
  if (next === undefined) {
    if (progress.events !== total)
      throw new DamagedRecording(`a recording has ${progress.events} events of ${total}`);
    text += renderer.end(progress);
  }
  return moved(encode(text, spare), next === undefined ? undefined : { ...at, offset: next });
}

function begin(fd: number, renderer: Renderer): ExportCursor & { text: string } {
  const { head, width } = readHead(fd, 'the recording');
  const { journal: _, ...facts } = head;
  return {
    text: renderer.begin(facts),
    offset: width,
    progress: firstProgress(),
    total: head.event_count,
    memory: new ArrayBuffer(RECORDING_SLICE_BYTES),
  };
}

function encode(text: string, spare: ArrayBuffer | undefined): Uint8Array<ArrayBuffer> {
  const needed = Buffer.byteLength(text);
  // With room for the next, which may be a little longer.
  const memory = spare && spare.byteLength >= needed ? spare : new ArrayBuffer(2 * needed);
  const { written } = new TextEncoder().encodeInto(text, new Uint8Array(memory));
  return new Uint8Array(memory, 0, written);
}

/** The pool unpacks it: the memory moves to the main thread without a copy. */
function moved(chunk: Uint8Array<ArrayBuffer>, cursor: ExportCursor | undefined): ExportSlice {
  const transfers = cursor ? [chunk.buffer, cursor.memory] : [chunk.buffer];
  return move({
    [transferableSymbol]: transfers,
    [valueSymbol]: { chunk, cursor },
  }) as unknown as ExportSlice;
}
