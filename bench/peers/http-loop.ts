// Reads terminals over HTTP in a closed loop: each connection sends the next request as soon as it has its answer.
// Runs in a process of its own, so that other work of the bench does not distort its times.
import { Pool } from 'undici';
import { answerCalls } from '../support/peer-calls.js';

export interface Loop {
  url: string;
  connections: number;
  ms: number;
  /** Terminals to read, in random order. */
  terminals: LoopTerminal[];
  /** Paths below a terminal to read, in turn, such as `/output`. */
  paths: string[];
}

export interface LoopTerminal {
  id: string;
  /** Text that every correct answer contains. */
  text: string;
}

const calls = {
  /** Reads for `ms` milliseconds. Resolves with the milliseconds of each answer, by path. */
  async read({ url, connections, ms, terminals, paths }: Loop): Promise<Record<string, number[]>> {
    const pool = new Pool(url, { connections });
    const times: Record<string, number[]> = Object.fromEntries(paths.map((path) => [path, []]));
    const end = performance.now() + ms;
    const loop = async (first: number) => {
      for (let turn = first; performance.now() < end; turn++) {
        const path = paths[turn % paths.length]!;
        const { id, text } = terminals[Math.floor(Math.random() * terminals.length)]!;
        const begin = performance.now();
        const { statusCode, body } = await pool.request({
          path: `/api/terminals/${id}${path}`,
          method: 'GET',
        });
        const answer = await body.text();
        times[path]!.push(performance.now() - begin);
        if (statusCode !== 200 || !answer.includes(text)) {
          throw new Error(`${path} of ${id}: ${statusCode}, without ${text}: ${answer.slice(0, 200)}`);
        }
      }
    };
    try {
      await Promise.all(Array.from({ length: connections }, (_, index) => loop(index)));
    } finally {
      await pool.destroy();
    }
    return times;
  },
};
export type HttpLoopCalls = typeof calls;
answerCalls(calls);
