// Comlink has the types of its adapter in a `.d.ts` beside an `.mjs`, where NodeNext does not look.
declare module 'comlink/dist/esm/node-adapter.mjs' {
  import type { MessagePort, Worker } from 'node:worker_threads';
  import type { Endpoint } from 'comlink';

  export default function nodeEndpoint(port: MessagePort | Worker): Endpoint;
}
