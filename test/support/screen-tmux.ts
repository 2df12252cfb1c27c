import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEADLINE_MS } from './deadline.js';
import type { Size } from './screen-pair.js';

/** A tmux server of its own, to see how another terminal shows the same output. */
export class Tmux {
  readonly #folder = mkdtempSync(join(tmpdir(), 'screen-tmux-'));
  #count = 0;

  /**
   * Resolves with the rows of a pane of this size after `output`, by `capture-pane` with these options, without blanks
   * at the ends.
   */
  async rowsAfter(output: string, { cols, rows }: Size, options: readonly string[] = []): Promise<string[]> {
    const name = `pane${this.#count++}`;
    // The mark is the last thing that tmux reads; it changes nothing visible.
    const mark = `done${name}`;
    writeFileSync(join(this.#folder, name), `${output}\x1b]2;${mark}\x1b\\`);
    const command = `stty -opost -echo; cat ${join(this.#folder, name)}; exec sleep 60`;
    this.#run('new-session', '-d', '-s', name, '-x', `${cols}`, '-y', `${rows}`, command);
    const ends = Date.now() + DEADLINE_MS;
    while (!this.#run('display-message', '-p', '-t', name, '#{pane_title}').includes(mark)) {
      if (Date.now() > ends) throw new Error(`tmux did not get to the end of ${JSON.stringify(output)}`);
      await sleep(10);
    }
    const text = this.#run('capture-pane', '-p', ...options, '-t', name);
    this.#run('kill-session', '-t', name);
    return text.split('\n').slice(0, rows);
  }

  dispose(): void {
    try {
      this.#run('kill-server');
    } catch {
      // The server ends by itself with its last session.
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #run(...args: string[]): string {
    const config = join(this.#folder, 'conf');
    writeFileSync(config, 'set -g status off\nset -g default-shell /bin/sh\nset -g exit-empty off\n');
    const env = { PATH: process.env.PATH ?? '', HOME: this.#folder, LANG: 'C.UTF-8', TERM: 'xterm-256color' };
    const tmux = ['-u', '-S', join(this.#folder, 'socket'), '-f', config];
    return execFileSync('tmux', [...tmux, ...args], { env, encoding: 'utf8' });
  }
}
