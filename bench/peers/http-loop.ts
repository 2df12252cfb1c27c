// Reads terminals over HTTP in a closed loop: each connection asks again as soon as it is answered. A process of its own,
// so that the bench's other work does not stand in the way of its clock.
import { Pool } from 'undici';
import { answerCalls } from '../support/peer-calls.js';

export interface Loop {
  url: string;
  connections: number;
  ms: number;
  /** Terminals that are read, in random order. */
  terminals: LoopTerminal[];
  /** What is read of them, each in its turn: `/output`. */
  paths: string[];
}

export interface LoopTerminal {
  id: string;
  /** Without it in an answer, that answer is wrong. */
  text: string;
}

const calls = {
  /** Gives the milliseconds of each answer, by path. */
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
