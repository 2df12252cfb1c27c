import { z } from 'zod';
import { ERRORS } from './errors.js';
import { TerminalSize } from './terminal.js';

/** What a recording captures. A caller passes all fields or none: nothing is merged with the defaults. */
export const RecordingOptions = z.object({
  include_output: z.boolean(),
  include_input: z.boolean().describe('Typed text and keys, whoever typed them'),
  include_resize: z.boolean(),
  compression: z
    .enum(['none', 'gzip'])
    .describe('Stored as a flag, without effect: recordings are plain JSON'),
  auto_stop: z
    .boolean()
    .describe(
      'Stored as a flag, without effect: a recording runs until it is stopped or its terminal is removed',
    ),
  include_marks: z
    .boolean()
    .optional()
    .describe(
      'Moments at which a coding agent began to wait, as far as a client follows agents; absent: none',
    ),
});
export type RecordingOptions = z.infer<typeof RecordingOptions>;

const DEFAULT_OPTIONS: RecordingOptions = {
  include_output: true,
  include_input: true,
  include_resize: true,
  compression: 'gzip',
  auto_stop: false,
};

/** Body of `POST /api/recordings/start`. */
export const StartRecording = z.object({
  terminal_id: z.string(),
  options: RecordingOptions.default(DEFAULT_OPTIONS).describe(
    'Give every field, or leave the object out: given fields are not merged with the defaults',
  ),
});
export type StartRecording = z.infer<typeof StartRecording>;

const truncated = z
  .literal(true)
  .optional()
  .describe(
    'Present if the recording ended early: later events could not be written, for example because the disk was full, ' +
      'or did not come in time when the terminal was closed',
  );

export const RecordingEvent = z.object({
  event_type: z
    .enum(['output', 'input', 'resize', 'mark'])
    .describe('`mark` only with `include_marks`: a coding agent began to wait'),
  data: z.string().describe('For a resize: `<cols>x<rows>`; for a mark: why the agent waits'),
  timestamp: z.int().min(0).describe('Milliseconds since `start_time`'),
  secret: z
    .literal(true)
    .optional()
    .describe('Present for input that the terminal did not show, such as a password; its `data` is empty'),
});
export type RecordingEvent = z.infer<typeof RecordingEvent>;

const RecordingMetadata = z.object({
  title: z.string().nullable(),
  shell_type: z.string().nullable().describe('Id of the profile that the terminal was created with'),
  initial_size: TerminalSize,
});

/** A recording without its events. */
export const RecordingFacts = z.object({
  id: z.uuid(),
  terminal_id: z.string(),
  start_time: z.iso.datetime(),
  end_time: z.iso.datetime().nullable(),
  metadata: RecordingMetadata,
  size: z.int().min(0).describe('Total bytes of the `data` of all events, as UTF-8'),
  compressed: z.boolean().describe('Whether `gzip` was requested'),
  event_count: z.int().min(0),
  truncated,
  options: RecordingOptions,
  version: z.literal(1).describe('Version of the format of recordings'),
});
export type RecordingFacts = z.infer<typeof RecordingFacts>;

/** Answer of `GET /api/recordings/:id`. */
export const Recording = RecordingFacts.extend({ events: z.array(RecordingEvent) }).meta({ id: 'Recording' });

/** An entry of `GET /api/recordings`. */
export const RecordingSummary = z
  .object({
    id: z.uuid(),
    terminalId: z.string(),
    startTime: z.iso.datetime(),
    endTime: z.iso.datetime().nullable(),
    size: z.int().describe('Total bytes of the `data` of all events, as UTF-8'),
    eventCount: z.int(),
    truncated,
  })
  .meta({ id: 'RecordingSummary' });
export type RecordingSummary = z.infer<typeof RecordingSummary>;

/** Answer of `GET /api/recordings/:id/info`. */
export const RecordingInfo = RecordingSummary.extend({
  compressed: z.boolean(),
  duration: z.int().nullable().describe('Milliseconds; null if there is no `endTime`'),
  metadata: RecordingMetadata,
}).meta({ id: 'RecordingInfo' });
export type RecordingInfo = z.infer<typeof RecordingInfo>;

/** Answer of `POST /api/recordings/start`. */
export const RecordingStarted = z.object({
  recordingId: z.uuid(),
  terminalId: z.string(),
  status: z.literal('recording'),
});
export type RecordingStarted = z.infer<typeof RecordingStarted>;

/** Answer of `POST /api/recordings/stop/:id`. */
export const RecordingStopped = z.object({
  recordingId: z.uuid(),
  status: z.literal('stopped'),
  size: z.int(),
  eventCount: z.int(),
  truncated,
});
export type RecordingStopped = z.infer<typeof RecordingStopped>;

/** Answer of `GET /api/recordings/status/:terminalId`. */
export const RecordingStatus = z.object({
  terminalId: z.string(),
  isRecording: z.boolean(),
  status: z.enum(['recording', 'not_recording']),
  recordingId: z.uuid().optional().describe('Present while it is being recorded'),
});
export type RecordingStatus = z.infer<typeof RecordingStatus>;

/** A recording in progress. */
export const ActiveRecording = RecordingSummary.pick({ id: true, terminalId: true, startTime: true })
  .extend({
    size: z
      .int()
      .nullable()
      .describe('Bytes of the `data` of all events so far, as UTF-8; null if they could not be read'),
    eventCount: z.int().nullable().describe('Events so far; null if they could not be read'),
  })
  .meta({ id: 'ActiveRecording' });
export type ActiveRecording = z.infer<typeof ActiveRecording>;

/** Query of `GET /api/recordings/active`. */
export const ActiveRecordingsQuery = z.object({
  view: z.enum(['ids', 'full']).default('ids').describe('`full`: answers `recordings`, too'),
});
export type ActiveRecordingsQuery = z.infer<typeof ActiveRecordingsQuery>;

/** Answer of `GET /api/recordings/active`. */
export const ActiveRecordings = z.object({
  activeRecordings: z.array(z.uuid()),
  count: z.int(),
  recordings: z
    .array(ActiveRecording)
    .optional()
    .describe('With `view=full`: what each of them is, in the same order'),
});
export type ActiveRecordings = z.infer<typeof ActiveRecordings>;

/** A format that a recording can be exported in. */
export type ExportFormat = 'json' | 'text' | 'html' | 'asciicast';

/** Export formats by the names that clients use; asciicast v2 has several. */
const FORMATS: Record<string, ExportFormat> = {
  json: 'json',
  text: 'text',
  html: 'html',
  'the service': 'asciicast',
  asciinema: 'asciicast',
  asciicast: 'asciicast',
  cast: 'asciicast',
};

/** Body of `POST /api/recordings/:id/export`. */
export const ExportRecording = z.object(
  {
    format: z
      .enum(Object.keys(FORMATS), { error: ERRORS['unsupported-format'].message })
      .transform((name) => FORMATS[name]!),
    redact: z
      .boolean()
      .optional()
      .describe(
        'Whether secrets are replaced. Defaults to the setting `recordings.redactExports`; for `json`, to false',
      ),
  },
  { error: ERRORS['unsupported-format'].message },
);
