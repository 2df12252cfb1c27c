import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure, type Watcher, watch } from '../support/http.js';
import { eventually, openLinks } from '../support/processes.js';
import { dataOf, type FullRecording, startRecording, stopRecording } from '../support/recordings.js';
import { type Service, startService } from '../support/service.js';

/** All kinds of colours, wide characters, a title, a query, markup, control characters, a resize. */
const SESSION = String.raw`
printf '\033]0;a <title>\007\033[1;31mred\033[0m \033[38;5;46mgreen\033[m \033[48;2;1;2;3m漢字 🙂 é\033[0m\r\n'
printf '<script>alert("x")</script> & <b>bold</b>\n'
printf '\0\016\017\177\033[5n'
read line; stty size; printf '\033[2J\033[Hafter the resize\n'; seq 1 200; printf 'DO''NE\n'; exec cat`;

/** A recording whose export takes several slices of a job. */
const LARGE = String.raw`
ESC=$(printf '\033'); seq -f "$ESC[31m%g$ESC[0m <漢字>" 1 90000; echo DO''NE; exec cat`;

let service: Service;
let api: Api;
let watcher: Watcher;
let folder: string;
let recording: FullRecording;
let large: FullRecording;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'at-export-'));
  service = await startService();
  api = createApi(service.url);
  watcher = await watch(service.url);
  recording = await record(SESSION, async (id) => {
    await api.post(`/api/terminals/${id}/resize`, { cols: 100, rows: 30 });
    await api.post(`/api/terminals/${id}/input`, { data: 'go\r' });
    await watcher.untilOutput(id, 'DONE');
  });
  // The export of this recording takes several slices of a job.
  large = await record(LARGE, async (id) => {
    await watcher.untilOutput(id, 'DONE');
  });
});
afterAll(async () => {
  await watcher?.close();
  await service?.stop();
  rmSync(folder, { recursive: true });
});

/** Records an sh script from the line of input that starts it. */
async function record(script: string, during: (id: string) => Promise<void>): Promise<FullRecording> {
  const command = ['sh', '-c', `read start; ${script}`];
  const { id } = (await api.post<Terminal>('/api/terminals', { command })).body;
  const recordingId = await startRecording(api, id);
  await api.post(`/api/terminals/${id}/input`, { data: 'start\r' });
  await during(id);
  return stopRecording(api, recordingId);
}

const exported = (id: string, format: unknown, extra = {}) =>
  api.raw({
    ...{ method: 'POST', path: `/api/recordings/${id}/export` },
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ format, ...extra }),
  });

/** All text under a node, and all elements. */
function contentOf(html: string) {
  const errors: string[] = [];
  const elements: DefaultTreeAdapterTypes.Element[] = [];
  const text = (node: DefaultTreeAdapterTypes.Node): string => {
    if ('tagName' in node) elements.push(node);
    if ('value' in node) return node.value;
    return 'childNodes' in node ? node.childNodes.map(text).join('') : '';
  };
  const document = parse(html, { onParseError: ({ code }) => errors.push(code) });
  text(document);
  const textOf = (tag: string) => text(elements.find(({ tagName }) => tagName === tag)!);
  return { errors, elements, textOf };
}

/** The part of a terminal's output that a page can show. */
const shown = (output: string) =>
  output
    .replace(/\x1b\][^\x07]*\x07|\x1b\[[\x20-\x3f]*[@-~]/g, '')
    .replace(/\r+\n/g, '\n')
    .replace(/[\0\x0e\x0f\x7f]/g, '');

describe('POST /api/recordings/:id/export', () => {
  test('json: the full recording, pretty-printed, with all event types', async () => {
    const { status, headers, body } = await exported(recording.id, 'json');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['content-disposition']).toBe(`attachment; filename="recording-${recording.id}.json"`);
    expect(JSON.parse(body)).toEqual(recording);
    expect(body).toBe(`${JSON.stringify(JSON.parse(body), null, 2)}\n`);
    const types = new Set(recording.events.map(({ event_type }) => event_type));
    expect(types).toEqual(new Set(['output', 'input', 'resize']));
  });

  test('text: a header of comment lines, then the output', async () => {
    const { headers, body } = await exported(recording.id, 'text');
    expect(headers['content-type']).toMatch(/^text\/plain/);
    expect(headers['content-disposition']).toBe(`attachment; filename="recording-${recording.id}.text"`);
    const { id, terminal_id, start_time, end_time, events } = recording;
    const header = `# Recording: ${id}\n# Terminal: ${terminal_id}\n# Start: ${start_time}\n# End: ${end_time}\n# Events: ${events.length}\n\n`;
    expect(body).toBe(header + dataOf(recording, 'output'));
  });

  test('html: a self-contained dark page, escaped, without scripts, valid', async () => {
    const { headers, body } = await exported(recording.id, 'html');
    expect(headers['content-type']).toMatch(/^text\/html/);
    expect(headers['content-disposition']).toBe(`attachment; filename="recording-${recording.id}.html"`);
    const { errors, elements, textOf } = contentOf(body);
    expect(errors).toEqual([]);
    const tags = new Set(elements.map(({ tagName }) => tagName));
    for (const tag of ['script', 'b', 'img', 'link', 'iframe']) expect(tags).not.toContain(tag);
    const attributes = elements.flatMap(({ attrs }) => attrs.map(({ name }) => name));
    expect(attributes.filter((name) => /^on|src|href/.test(name))).toEqual([]);
    expect(textOf('pre')).toBe(shown(dataOf(recording, 'output')));
    expect(textOf('pre')).toContain('<script>alert("x")</script> & <b>bold</b>');
    expect(body).toContain('<span style="color:#cd3131;font-weight:bold">red</span>');
    for (const fact of [recording.id, recording.terminal_id, recording.start_time])
      expect(textOf('header')).toContain(fact);
    expect(body).toContain('color-scheme: dark');
  });

  test.each(['the service', 'asciinema', 'asciicast', 'cast'])('%s: asciicast v2', async (format) => {
    const { headers, body } = await exported(recording.id, format);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['content-disposition']).toBe(`attachment; filename="recording-${recording.id}.cast"`);
    const [header, ...lines] = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(header).toEqual({
      ...{ version: 2, width: 80, height: 24 },
      timestamp: Math.floor(Date.parse(recording.start_time) / 1_000),
      title: expect.stringMatching(/./),
      env: { SHELL: recording.metadata.shell_type, TERM: 'xterm-256color' },
    });
    const outputs = recording.events.filter(({ event_type }) => event_type === 'output');
    expect(lines).toEqual(outputs.map(({ timestamp, data }) => [timestamp / 1_000, 'o', data]));
  });

  test('the .cast plays in asciinema, byte for byte as the terminal printed it', async () => {
    for (const each of [recording, large]) {
      const file = join(folder, `${each.id}.cast`);
      writeFileSync(file, (await exported(each.id, 'cast')).body);
      // asciinema needs a terminal.
      const command = ['sh', '-c', `asciinema cat ${file} >${file}.out; echo PLAY''ED $?; exec cat`];
      const env = { HOME: folder, LC_ALL: 'C.UTF-8' };
      const { body } = await api.post<Terminal>('/api/terminals', { command, env });
      await watcher.untilOutput(body.id, 'PLAYED 0');
      expect(readFileSync(`${file}.out`).equals(Buffer.from(dataOf(each, 'output')))).toBe(true);
    }
  });

  test('a large recording is whole in each format', async () => {
    expect(large.size).toBeGreaterThan(1_000_000);
    const bodies = await Promise.all(
      ['json', 'text', 'html'].map(async (format) => (await exported(large.id, format)).body),
    );
    const [json, text, html] = bodies as [string, string, string];
    expect(JSON.parse(json)).toEqual(large);
    expect(text.slice(text.indexOf('\n\n') + 2)).toBe(dataOf(large, 'output'));
    expect(contentOf(html).textOf('pre')).toBe(shown(dataOf(large, 'output')));
  });

  test.each(['pdf', 'JSON', '', 7, null, undefined])('400 for the format %j', async (format) => {
    const { status, body } = await exported(recording.id, format);
    expect([status, JSON.parse(body)]).toEqual([400, failed('Unsupported format')]);
  });

  test('400 without a body, and other fields of it are ignored', async () => {
    const none = await api.post<Failure>(`/api/recordings/${recording.id}/export`);
    expect([none.status, none.body]).toEqual([400, failed('Unsupported format')]);
    expect((await exported(recording.id, 'text', { speed: 2, events: [] })).status).toBe(200);
  });

  test('a recording without events can be exported', async () => {
    const { body: terminal } = await api.post<Terminal>('/api/terminals', { command: ['cat'] });
    const empty = await stopRecording(api, await startRecording(api, terminal.id));
    const { body } = await exported(empty.id, 'json');
    expect(body).toBe(`${JSON.stringify(JSON.parse(body), null, 2)}\n`);
    expect((await exported(empty.id, 'cast')).body.trimEnd().split('\n').length).toBe(1);
  });

  test('clients that do not read delay no other, and leave nothing open when they leave', async () => {
    // Counts only sockets and recordings: descriptors of pool threads and spill files come and go meanwhile.
    const held = () => openLinks(service.pid).filter((link) => /^socket:|\/recordings\//.test(link)).length;
    const before = held();
    const stalled = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const [method, path] = index < 6 ? ['POST', '/export'] : ['GET', ''];
        const headers = { 'content-type': 'application/json' };
        const sent = request(`${service.url}/api/recordings/${large.id}${path}`, { method, headers });
        sent.end(index < 6 ? '{"format":"html"}' : undefined);
        const [response] = (await once(sent, 'response')) as [IncomingMessage];
        return response;
      }),
    );
    expect(held()).toBeGreaterThan(before);
    expect((await exported(large.id, 'json')).body.length).toBeGreaterThan(1_000_000);
    for (const response of stalled) response.destroy();
    await eventually('all is closed', () => held() <= before);
  });

  test('a recording that is deleted meanwhile is sent whole', async () => {
    const again = await record(`seq 1 300000; echo DO''NE; exec cat`, async (id) => {
      await watcher.untilOutput(id, 'DONE');
    });
    const headers = { 'content-type': 'application/json' };
    const sent = request(`${service.url}/api/recordings/${again.id}/export`, { method: 'POST', headers });
    sent.end('{"format":"text"}');
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect((await api.delete(`/api/recordings/${again.id}`)).status).toBe(204);
    let body = '';
    for await (const chunk of response.setEncoding('utf8')) body += chunk;
    expect(body.endsWith(dataOf(again, 'output'))).toBe(true);
  });
});
