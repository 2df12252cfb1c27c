import { move, transferableSymbol, valueSymbol } from 'piscina';
import { RECORDING_SLICE_BYTES } from '../../../contract/limits.js';
import type { ExportFormat, RecordingEvent, RecordingFacts } from '../../../contract/recording.js';
import { DamagedRecording, readEvents, readHead } from '../../../store/recording-reader.js';
import { redactEvents } from '../../redaction/redacted-events.js';
import { type RedactionPlan, SecretFinder } from '../../redaction/secret-finder.js';
import { renderAsciicast } from './asciicast.js';
import { renderHtml } from './html.js';
import { renderJson } from './json.js';
import { type ExportProgress, firstProgress, type Renderer } from './renderer.js';
import { renderText } from './text.js';

const RENDERERS: Record<ExportFormat, Renderer> = {
  json: renderJson,
  text: renderText,
  html: renderHtml,
  asciicast: renderAsciicast,
};

/** Place of an export between two slices; plain data, since another thread may make each slice. */
interface ExportCursor {
  /** Byte offset in the file. */
  offset: number;
  progress: ExportProgress;
  /** Number of events read so far, and of all. */
  read: number;
  total: number;
  /** Read buffer, passed from slice to slice: a new one for each would stay resident until a garbage collection. */
  memory: ArrayBuffer;
}

interface ExportInput {
  /** Descriptor of the finished recording; it stays open until the job has ended. */
  fd: number;
  format: ExportFormat;
  /** Plan for finding secrets; if absent, nothing is redacted. */
  redaction?: RedactionPlan | undefined;
  /** From the previous slice; absent for the first. The caller transfers its memory. */
  cursor?: ExportCursor;
  /** Memory of the previous slice, for reuse. The caller transfers it. */
  spare?: ArrayBuffer;
}

/** A piece of the export in UTF-8, and the cursor for the next piece; the last has no cursor. */
export interface ExportSlice {
  /** A view of memory that belongs to this slice alone. */
  chunk: Uint8Array<ArrayBuffer>;
  cursor?: ExportCursor;
}

/**
 * Makes the next piece of an export. Each piece is a job of its own, so that a client that downloads slowly, or not at
 * all, occupies no thread. Throws DamagedRecording if the file does not have the events that its head counts.
 */
export function exportRecording({ fd, format, redaction, cursor, spare }: ExportInput): ExportSlice {
  const renderer = RENDERERS[format];
  const finder = redaction && SecretFinder.of(redaction);
  const { text: before, ...at } = cursor ? { text: '', ...cursor } : begin(fd, renderer, finder);
  const { progress, total, memory } = at;
  const { events, next } = readEvents(fd, at.offset, Buffer.from(memory));
  at.read += events.length;
  const isLast = next === undefined;
  const ready = finder ? redactEvents(finder, shownIn(format, events), progress.held, isLast) : events;
  let text = before + renderer.render(ready, progress);
  progress.events += ready.length;
  if (isLast) {
    if (at.read !== total) throw new DamagedRecording(`a recording has ${at.read} events of ${total}`);
    text += renderer.end(progress);
  }
  return moved(encode(text, spare), isLast ? undefined : { ...at, offset: next });
}

/** Leaves out typed text that the format does not show, so that no output waits for the end of a typed line. */
function shownIn(format: ExportFormat, events: readonly RecordingEvent[]): readonly RecordingEvent[] {
  return format === 'json' ? events : events.filter(({ event_type }) => event_type !== 'input');
}

function begin(fd: number, renderer: Renderer, finder?: SecretFinder): ExportCursor & { text: string } {
  const { head, width } = readHead(fd, 'the recording');
  const { journal: _, ...facts } = head;
  const progress = firstProgress();
  return {
    text: renderer.begin(finder ? withoutSecrets(facts, finder) : facts, progress),
    offset: width,
    progress,
    read: 0,
    total: head.event_count,
    memory: new ArrayBuffer(RECORDING_SLICE_BYTES),
  };
}

function withoutSecrets(facts: RecordingFacts, finder: SecretFinder): RecordingFacts {
  const { title } = facts.metadata;
  return { ...facts, metadata: { ...facts.metadata, title: title && finder.redact(title) } };
}

function encode(text: string, spare: ArrayBuffer | undefined): Uint8Array<ArrayBuffer> {
  const needed = Buffer.byteLength(text);
  // Twice the size, since the next slice may be a little longer.
  const memory = spare && spare.byteLength >= needed ? spare : new ArrayBuffer(2 * needed);
  const { written } = new TextEncoder().encodeInto(text, new Uint8Array(memory));
  return new Uint8Array(memory, 0, written);
}

/** Wraps a slice so that its memory moves to the main thread without a copy; the pool unpacks it. */
function moved(chunk: Uint8Array<ArrayBuffer>, cursor: ExportCursor | undefined): ExportSlice {
  const transfers = cursor ? [chunk.buffer, cursor.memory] : [chunk.buffer];
  return move({
    [transferableSymbol]: transfers,
    [valueSymbol]: { chunk, cursor },
  }) as unknown as ExportSlice;
}
