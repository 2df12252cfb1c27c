import { type Api, createApi } from '../../test/support/http.js';
import type { NaiveCalls } from '../peers/naive.js';
import type { Cleanup } from './cleanup.js';
import { Peer } from './peer-calls.js';

export interface NaiveServer {
  url: string;
  api: Api;
  /** Id of its only process. */
  pids: number[];
}

/** Starts a server as a user would write it (`bench/peers/naive.ts`), until the case ends. */
export async function startNaive(cleanup: Cleanup): Promise<NaiveServer> {
  const peer = Peer.start<NaiveCalls>(cleanup, 'naive');
  const url = `http://127.0.0.1:${await peer.call('listen')}`;
  return { url, api: createApi(url, { unchecked: true }), pids: [peer.pid] };
}
