import { describe, expect, test } from 'vitest';
import { Captures } from '#dist/actors/captures.js';
import { DomainError } from '#dist/contract/errors.js';
import type { TmuxCapture } from '#dist/contract/host-protocol.js';
import type { TerminalSize } from '#dist/contract/terminal.js';

const OWN = { content: 'own', line_count: 1, includes_scrollback: false, cursor_position: null };

/** One terminal in tmux that shows its number of columns; `during` runs before each answer to a capture. */
function terminal({ during = () => undefined, gone = false }: { during?: () => void; gone?: boolean } = {}) {
  const record = { size: { cols: 80, rows: 2 }, resizes: 0, meta: { backend: 'tmux' } };
  const asked: string[] = [];
  const resize = async (_id: string, size: TerminalSize) => {
    record.resizes++;
    asked.push(`resize ${size.cols}`);
    record.size = size;
  };
  const tmuxCapture = async (_id: string, scrollback: boolean): Promise<TmuxCapture | null> => {
    asked.push(`capture ${scrollback}`);
    during();
    const rows = [`${record.size.cols} columns`, '\x1b[31mred'];
    return gone ? null : { rows, cursor: [1, record.size.cols] };
  };
  const captures = new Captures({
    terminals: { tmuxCapture, startOf: () => record as never },
    sizes: { resize },
    screens: { capture: async () => OWN },
  });
  return { captures, asked, resize, record };
}

describe('a capture', () => {
  test('is what tmux shows; a cursor about to wrap is on the last column', async () => {
    const { captures } = terminal();
    expect(await captures.capture('a', true)).toEqual({
      content: '80 columns\n\x1b[31mred\x1b[m',
      line_count: 2,
      includes_scrollback: true,
      cursor_position: [1, 79],
    });
  });

  test("is our own screen's if tmux returns none", async () => {
    expect(await terminal({ gone: true }).captures.capture('a', false)).toEqual(OWN);
  });

  test('of many rows is all of them', async () => {
    const rows = Array.from({ length: 1_234 }, (_, n) => `row ${n}`);
    const captures = new Captures({
      terminals: {
        tmuxCapture: async () => ({ rows, cursor: [0, 0] }),
        startOf: () => ({ size: { cols: 80, rows: 24 } }) as never,
      },
      sizes: { resize: async () => undefined },
      screens: { capture: async () => OWN },
    });
    const { content, line_count } = await captures.capture('a', true);
    expect([content.split('\n'), line_count]).toEqual([rows, rows.length]);
  });
});

describe('a reflow', () => {
  test('finishes its resize and its capture before the next reflow begins', async () => {
    const { captures, asked } = terminal();
    const sizes = [60, 120].map((cols) => captures.reflow('a', { cols, rows: 2 }, true));
    const contents = (await Promise.all(sizes)).map(({ content }) => content?.content.split('\n')[0]);
    expect(contents).toEqual(['60 columns', '120 columns']);
    expect(asked).toEqual(['resize 60', 'capture true', 'resize 120', 'capture true']);
  });

  test('is an error if a client resizes meanwhile: the size of its content is unknown', async () => {
    const { captures, resize, record } = terminal({
      during: () => record.resizes === 1 && void resize('a', { cols: 99, rows: 2 }),
    });
    const reflowed = captures.reflow('a', { cols: 60, rows: 2 }, true);
    await expect(reflowed).rejects.toMatchObject({ code: 'resized-meanwhile' });
    // The next reflow still gets its turn.
    expect(await captures.reflow('a', { cols: 70, rows: 2 }, true)).toMatchObject({ reflow_applied: true });
  });

  test('during which the terminal exits is terminal-not-found, as is a resize', async () => {
    const reflowed = terminal({ gone: true }).captures.reflow('a', { cols: 60, rows: 2 }, true);
    await expect(reflowed).rejects.toMatchObject({ code: 'terminal-not-found' });
  });

  test('whose resize fails leaves the turn to the next', async () => {
    const record = { size: { cols: 80, rows: 2 }, meta: { backend: 'tmux' } };
    const captures = new Captures({
      terminals: {
        tmuxCapture: async () => null,
        startOf: () => record as never,
      },
      sizes: {
        resize: async () => {
          throw new DomainError('unavailable');
        },
      },
      screens: { capture: async () => OWN },
    });
    const both = [1, 2].map((cols) => captures.reflow('a', { cols, rows: 2 }, true));
    for (const reflowed of both) await expect(reflowed).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('without content captures nothing', async () => {
    const { captures, asked } = terminal();
    const size = { cols: 60, rows: 2 };
    expect(await captures.reflow('a', size, false)).toEqual({ status: 'ok', ...size, reflow_applied: true });
    expect(asked).toEqual(['resize 60']);
  });

  test('of a terminal on a plain PTY is a resize', async () => {
    const { captures, asked, record } = terminal();
    record.meta.backend = 'pty';
    const size = { cols: 60, rows: 2 };
    expect(await captures.reflow('a', size, true)).toEqual({ status: 'ok', ...size, reflow_applied: false });
    expect(asked).toEqual(['resize 60']);
  });
});
