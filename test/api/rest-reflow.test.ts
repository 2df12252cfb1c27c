import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, createApi, type Watcher, watch } from '../support/http.js';
import { type Service, startService } from '../support/service.js';
import { TmuxByHand } from '../support/tmux-by-hand.js';

interface Capture {
  content: string;
  line_count: number;
  includes_scrollback: boolean;
  cursor_position: [number, number];
}
interface Reflowed {
  reflow_applied: boolean;
  content?: Capture;
}

let folder: string;
let service: Service;
let api: Api;
let watcher: Watcher;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-reflow-'));
  service = await startService({ env: { TMUX_TMPDIR: folder } });
  api = createApi(service.url);
  watcher = await watch(service.url);
});
afterAll(async () => {
  await watcher?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A terminal in tmux that has printed this and waits; with tmux's own view of it. */
async function printed(text: string, size: { cols: number; rows: number }) {
  const command = ['sh', '-c', 'printf "%s" "$TEXT"; printf END; exec cat'];
  const request = { command, env: { TEXT: text }, backend: 'tmux', ...size };
  const { body } = await api.post<{ id: string; attach: string }>('/api/terminals', request);
  await watcher.untilOutput(body.id, 'END');
  const tmux = new TmuxByHand(folder, /-L (\S+)/.exec(body.attach)![1]!);
  const target = ['-t', `=${body.id}:`];
  return {
    id: body.id,
    reflow: async (change: object) => {
      const answer = await api.post<Reflowed>(`/api/terminals/${body.id}/resize-reflow`, change);
      expect(answer.status).toBe(200);
      return answer.body;
    },
    rowsByHand: (...options: string[]) => {
      const [row, column] = tmux
        .run('display-message', '-p', ...target, '#{cursor_y} #{cursor_x}')
        .split(' ');
      const rows = tmux.run('capture-pane', '-p', ...options, ...target);
      return { rows: rows.split('\n'), cursor: [Number(row), Number(column)] };
    },
  };
}

const WORDS = 'The quick brown fox jumps over the lazy dog, and a wide 中文 sign stands amid them. ';
const PARAGRAPH = `first\n${WORDS.repeat(9)}\n\n${WORDS.repeat(3)}\nlast\n`;

const contentOf = ({ rows, cursor }: { rows: string[]; cursor: number[] }) => ({
  content: rows.join('\n'),
  line_count: rows.length,
  includes_scrollback: true,
  cursor_position: cursor,
});

describe('POST /api/terminals/:id/resize-reflow in tmux', () => {
  it('a paragraph of 120 columns, to 60 and back: as tmux itself shows it, and at 120 the first again', async () => {
    const { id, reflow, rowsByHand } = await printed(PARAGRAPH, { cols: 120, rows: 10 });
    const first = (await api.get<Capture>(`/api/terminals/${id}/capture?include_scrollback=true`)).body;
    expect(first).toEqual(contentOf(rowsByHand('-e', '-S', '-')));

    const narrow = await reflow({ cols: 60, rows: 10 });
    expect(narrow).toMatchObject({ status: 'ok', cols: 60, rows: 10, reflow_applied: true });
    expect(narrow.content).toEqual(contentOf(rowsByHand('-e', '-S', '-')));
    expect(narrow.content?.line_count).toBeGreaterThan(first.line_count);

    const wide = await reflow({ cols: 120, rows: 10 });
    expect(wide.content).toEqual(first);
    expect(contentOf(rowsByHand('-e', '-S', '-'))).toEqual(first);
  });

  it('colours are included, and each row has its own', async () => {
    const text = `plain \x1b[31m${WORDS}\x1b[1;44m${WORDS}\x1b[m plain\n`;
    const { reflow, rowsByHand } = await printed(text, { cols: 120, rows: 10 });
    const { content } = await reflow({ cols: 60, rows: 10 });
    const rows = content!.content.split('\n');
    expect(rows.map((row) => row.replace(/\x1b\[[\d;]*m/g, '').trimEnd())).toEqual(
      rowsByHand('-S', '-').rows,
    );
    expect(rows[1]).toMatch(/^\x1b\[31m[^\x1b]*/);
    for (const row of rows) expect(row).toMatch(/^(?:[^\x1b]*|.*\x1b\[m[^\x1b]*)$/);
  });

  it('without the scrollback /capture returns the rows of the screen, as tmux does', async () => {
    const { id, rowsByHand } = await printed(PARAGRAPH, { cols: 40, rows: 6 });
    const { body } = await api.get<Capture>(`/api/terminals/${id}/capture`);
    expect(body).toEqual({ ...contentOf(rowsByHand('-e')), includes_scrollback: false });
    expect(body.line_count).toBe(6);
  });

  it('capture_content: false resizes, and returns no content', async () => {
    const { id, reflow } = await printed(PARAGRAPH, { cols: 120, rows: 10 });
    expect(await reflow({ cols: 60, rows: 9, capture_content: false })).toEqual({
      ...{ status: 'ok', cols: 60, rows: 9, reflow_applied: true },
    });
    expect((await api.get(`/api/terminals/${id}/size`)).body).toEqual({ cols: 60, rows: 9 });
  });

  it('several at once take turns: each gets the content of its own size', async () => {
    const { id, reflow } = await printed('x'.repeat(1_000), { cols: 120, rows: 10 });
    const sizes = [60, 100, 37, 100, 120];
    const answers = await Promise.all(sizes.map((cols) => reflow({ cols, rows: 10 })));
    expect(answers.map(({ content }) => content!.content.indexOf('\n'))).toEqual(sizes);
    expect((await api.get(`/api/terminals/${id}/size`)).body).toEqual({ cols: 120, rows: 10 });
  });

  it('the scrollback is included, of which tmux drops a tenth whenever it is full', async () => {
    const lines = Array.from({ length: 2_000 }, (_, n) => `line ${n}`);
    const { reflow, rowsByHand } = await printed(`${lines.join('\n')}\n`, { cols: 80, rows: 24 });
    const { content } = await reflow({ cols: 60, rows: 24 });
    expect(content).toEqual(contentOf(rowsByHand('-e', '-S', '-')));
    const kept = content!.line_count - 24;
    expect(kept).toBeGreaterThanOrEqual(900);
    expect(kept).toBeLessThanOrEqual(1_000);
    expect(content!.content.split('\n')).toEqual([...lines, 'END'].slice(-content!.line_count));
  });

  it.each([{ cols: 0, rows: 10 }, { cols: 60 }, { cols: 60, rows: 10, capture_content: 'yes' }])(
    '%j: 400',
    async (body) => {
      const { id } = await printed('', { cols: 80, rows: 24 });
      expect((await api.post(`/api/terminals/${id}/resize-reflow`, body)).status).toBe(400);
    },
  );
});
