import { Pool } from 'undici';

/** Number of requests in flight at once, unless the caller gives another number. */
const AT_ONCE = 16;

export interface Created {
  /** Ids of the terminals, by index. */
  ids: string[];
  /** Seconds from the first request to each answer, in ascending order. */
  answeredAt: number[];
}

/**
 * Creates `count` terminals over kept connections, with `atOnce` requests in flight; `bodyOf` returns the body of each
 * request. Rejects with the error of the first request that fails.
 */
export async function createTerminals(
  url: string,
  count: number,
  bodyOf: (index: number) => object,
  atOnce = AT_ONCE,
): Promise<Created> {
  const pool = new Pool(url, { connections: atOnce });
  const ids: string[] = [];
  const answeredAt: number[] = [];
  const begin = performance.now();
  let next = 0;
  const work = async () => {
    for (let index = next++; index < count; index = next++) {
      const { statusCode, body } = await pool.request({
        path: '/api/terminals',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(index)),
      });
      const answer = (await body.json()) as { id: string; error?: string };
      if (statusCode !== 200) throw new Error(`terminal ${index}: ${statusCode} ${answer.error}`);
      ids[index] = answer.id;
      answeredAt.push((performance.now() - begin) / 1000);
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    await pool.destroy();
  }
  return { ids, answeredAt };
}

/** Closes terminals, with 16 requests in flight. */
export async function closeTerminals(url: string, ids: readonly string[]): Promise<void> {
  const pool = new Pool(url, { connections: AT_ONCE });
  try {
    await Promise.all(
      ids.map(async (id) => {
        const { statusCode, body } = await pool.request({ path: `/api/terminals/${id}`, method: 'DELETE' });
        await body.dump();
        if (statusCode !== 200) throw new Error(`closing ${id}: ${statusCode}`);
      }),
    );
  } finally {
    await pool.destroy();
  }
}
