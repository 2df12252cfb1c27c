import type { StreamClientCalls } from '../peers/stream-client.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { createTerminals } from '../support/create-terminals.js';
import { startNaive } from '../support/naive-server.js';
import { startOurs } from '../support/our-service.js';
import { Peer } from '../support/peer-calls.js';
import { upgradeRequest } from '../support/raw-socket.js';
import { inRounds, medianOf } from '../support/rounds.js';
import { percentile } from '../support/stats.js';
import { Typist } from '../support/typist.js';

/** A program that echoes each key itself, as an editor does. */
const PROGRAM = ['sh', '-c', 'stty -icanon -echo; exec cat'];

/** Source of the echo: the kernel's terminal driver, as under `cat`, or a program. */
const ECHOERS = [
  { name: 'tty', command: ['cat'] },
  { name: 'program', command: PROGRAM },
];

/** Warm-up keys, until the code is compiled. */
const WARM_UP = 1_500;
/** Measured keys. With the warm-up keys below 4,096 per terminal, where the kernel cuts a line without Enter. */
const KEYS = 2_500;

const FLOODS = 20;
const FLOOD = ['yes', 'a line of a flood that fills about seventy columns of the terminal it is in'];
const KEYS_BESIDE_FLOODS = 200;

/** Measures keystroke to echo over WebSocket: idle, compared with a naive server, and beside floods. */
export async function latency(bench: Bench): Promise<Row[]> {
  return [...(await atRest(bench)), ...(await besideFloods(bench))];
}

async function atRest(bench: Bench): Promise<Row[]> {
  const { cleanup, rounds } = bench;
  const servers = { ours: await startOurs(cleanup), naive: await startNaive(cleanup) };
  const typist = new Typist(cleanup);
  const rows: Row[] = [];
  for (const { name, command } of ECHOERS) {
    const ours = await keyboardAt(typist, servers.ours.url, command);
    const naive = await keyboardAt(typist, servers.naive.url, command);
    for (const keyboard of [ours, naive]) await keyboard.type(WARM_UP);
    const keys = Math.floor(KEYS / rounds);
    const sides = { ours: () => ours.type(keys), naive: () => naive.type(keys) };
    const times = await inRounds(bench, sides, `echo by the ${name}`);
    for (const keyboard of [ours, naive]) await keyboard.close();
    for (const percent of [50, 99]) {
      const figure = (side: number[][]) => medianOf(side, (round) => percentile(round, percent));
      rows.push({
        ...{
          name: `keystroke echo by the ${name}, idle: p${percent}`,
          value: figure(times.ours),
          unit: 'ms',
        },
        peer: { name: 'naive server', value: figure(times.naive) },
        target: percent === 50 ? { value: { max: 0.3 }, ratio: { max: 1.2 } } : { value: { max: 3 } },
      });
    }
  }
  return rows;
}

async function besideFloods(bench: Bench): Promise<Row[]> {
  const { cleanup } = bench;
  const { url } = await startOurs(cleanup);
  const keyboard = await keyboardAt(new Typist(cleanup), url, PROGRAM);
  await keyboard.type(WARM_UP);
  const { ids } = await createTerminals(url, FLOODS, () => ({ command: FLOOD }));
  const watcher = Peer.start<StreamClientCalls>(cleanup, 'stream-client');
  const port = Number(new URL(url).port);
  const sides = {
    unwatched: () => keyboard.type(KEYS_BESIDE_FLOODS),
    watched: async () => {
      const request = upgradeRequest(port, `/ws?terminals=${ids.join(',')}`);
      await watcher.call('open', { port, request, ready: '"welcome"', end: 'never printed', keep: 0 });
      const taken = await keyboard.type(KEYS_BESIDE_FLOODS);
      if ((await watcher.call('received')) < 1e6) throw new Error('the floods printed less than 1 MB');
      await watcher.call('close');
      return taken;
    },
  };
  const times = await inRounds(bench, sides, `echo beside ${FLOODS} floods`);
  return Object.entries(times).flatMap(([how, side]) =>
    [50, 99].map(
      (percent): Row => ({
        name: `keystroke echo beside ${FLOODS} flooding terminals, ${how}: p${percent}`,
        value: medianOf(side, (round) => percentile(round, percent)),
        unit: 'ms',
        target: percent === 99 ? { value: { max: 30 } } : undefined,
      }),
    ),
  );
}

async function keyboardAt(typist: Typist, url: string, command: string[]) {
  const [id] = (await createTerminals(url, 1, () => ({ command }))).ids;
  return typist.at(url, id!);
}
