import type { Client } from '#dist/client/client.js';
import type { ServiceEvent } from '#dist/client/events.js';
import type { AutoTerminalError } from '#dist/client/index.js';
import { check, eventually, isLike, rejection } from './check.js';

type ErrorClass = new (...args: never[]) => AutoTerminalError;

/** The client as its package gives it to a runtime. */
export interface Sdk {
  connect(url: string): Client;
  NotFoundError: ErrorClass;
  ConflictError: ErrorClass;
  NoServiceError: ErrorClass;
}

/** Data that a test has prepared: the cases run in another process or in a page. */
export interface Ground {
  url: string;
  /** Address of a proxy that breaks off the service's first {@link CUTS} answers to requests with a key. */
  cuttingUrl: string;
  /** Address at which nothing listens. */
  deadUrl: string;
  /** A POST to this address kills the service by SIGKILL, and is answered once the next service is ready. */
  restartUrl: string;
}

export const CUTS = 3;

const bash = { command: ['bash', '--norc'], env: { PS1: 'ready$ ' } };

/** What the client does in every runtime. The cases run in this order, on one service. */
export const CASES: Record<string, (sdk: Sdk, ground: Ground) => Promise<void>> = {
  'a run gives its result when it is awaited': async ({ connect }, { url }) => {
    const terminal = await connect(url).terminals.create({ ...bash, labels: { case: 'first' } });
    isLike(terminal.created.labels, { case: 'first' });
    const { exitCode, raw } = await terminal.run('echo grüße; (exit 3)');
    isLike({ exitCode, raw }, { exitCode: 3, raw: 'grüße\n' });
  },

  'a run gives its lines as they come when it is iterated': async ({ connect }, { url }) => {
    const terminal = await connect(url).terminals.create(bash);
    const lines: string[] = [];
    const ran = terminal.run('echo one; read x; echo "two $x"; printf end; (exit 9)');
    for await (const line of ran) {
      lines.push(line);
      if (line === 'one') await terminal.type('more\r');
    }
    check(lines.includes('two more') && lines.at(-1) === 'end', `lines: ${JSON.stringify(lines)}`);
    isLike((await ran).exitCode, 9);
  },

  'typed text, pressed keys, and output from a cursor': async ({ connect }, { url }) => {
    const terminal = await connect(url).terminals.create(bash);
    await terminal.waitFor({ until: 'prompt' });
    const { cursor } = await terminal.output();
    await terminal.type('echo wrong');
    await terminal.keys(['ctrl+u']);
    await terminal.type('echo "$((40 + 2)) found"');
    await terminal.keys(['enter']);
    isLike((await terminal.waitFor({ until: 'text', text: '42 found' })).done, true);
    await terminal.waitFor({ until: 'prompt' });
    const page = await terminal.output({ since: cursor });
    check(page.raw.includes('42 found') && !page.raw.includes('wrong\n'), `since: ${page.raw}`);
    const later = await terminal.output({ since: page.cursor });
    isLike(later.raw, '');
    const { snapshot } = await terminal.snapshot();
    check(snapshot.includes('42 found'), `snapshot: ${snapshot}`);
  },

  'an attached client gets the screen, output and sizes, and detaches': async ({ connect }, { url }) => {
    const client = connect(url);
    const { id } = await client.terminals.create({ ...bash, cols: 90, rows: 20 });
    const terminal = client.terminals.get(id);
    await terminal.waitFor({ until: 'prompt' });
    const attachment = terminal.attach({ cols: 70, rows: 15, name: 'mine' });
    const seen: string[] = [];
    let text = '';
    let sizes = '';
    for await (const event of attachment) {
      seen.push(event.type);
      if (event.type === 'resized') sizes += `${event.cols}x${event.rows} `;
      if (event.type === 'resized' && sizes === '70x15 ') await attachment.resize({ cols: 71, rows: 16 });
      if (event.type === 'resized' && sizes === '70x15 71x16 ')
        await attachment.type('echo "<$((6 * 7))>"\r');
      if (event.type === 'reset' || event.type === 'output') text += event.data;
      // The brackets exclude a mark of the shell: it has a process id, which may contain any digits.
      if (text.includes('<42>')) await attachment.detach();
    }
    isLike(seen[0], 'reset');
    isLike(sizes.trim(), '70x15 71x16');
    isLike(await terminal.size(), { cols: 90, rows: 20 });
    isLike(await terminal.clients(), []);
  },

  'a watch begins with the screen and goes on with output': async ({ connect }, { url }) => {
    const terminal = await connect(url).terminals.create({
      command: ['sh', '-c', 'echo old; read x; echo new'],
    });
    await terminal.waitFor({ until: 'text', text: 'old' });
    let text = '';
    for await (const { data, isScreen } of connect(url).watch({ terminals: [terminal.id] })) {
      if (text === '') {
        check(isScreen && data.includes('old'), `first: ${data}`);
        await terminal.type('\r');
      }
      text += data;
      if (text.includes('new')) break;
    }
  },

  'screens say which rows have changed': async ({ connect }, { url }) => {
    const client = connect(url);
    const command = ['sh', '-c', 'echo first; read x; echo second'];
    const [one, two] = [
      await client.terminals.create({ command }),
      await client.terminals.create({ command }),
    ];
    const screens = client.screens([{ terminalId: one.id, fps: 10 }]);
    const texts: Record<string, string> = {};
    for await (const { terminalId, from, lines } of screens) {
      const text = lines.map(([, runs]) => runs.join('')).join(' ');
      check(terminalId in texts === (from !== null), `${terminalId} builds on ${from}`);
      texts[terminalId] = `${texts[terminalId] ?? ''} ${text}`;
      if (terminalId === one.id && from === null) {
        const views = [two.id, one.id, 'term_000000000000'].map((id) => ({ terminalId: id, fps: 10 }));
        isLike(await screens.watch(views), ['term_000000000000']);
        await one.type('\r');
      }
      if (texts[one.id]?.includes('second') && texts[two.id]?.includes('first')) break;
    }
  },

  'a selector runs a command in many terminals': async ({ connect }, { url }) => {
    const client = connect(url);
    await client.terminals.createMany([1, 2, 3].map(() => ({ ...bash, labels: { case: 'many' } })));
    const { results, summary } = await client.select('case=many').run('(exit 4)');
    isLike(
      results.map(({ exitCode }) => exitCode),
      [4, 4, 4],
    );
    isLike(summary.total, 3);
  },

  'failures are of a class for each kind, with the code of the API': async (sdk, { url, deadUrl }) => {
    const client = sdk.connect(url);
    const missing = client.terminals.get('term_000000000000');
    const calls = [
      () => missing.info(),
      () => missing.type('x'),
      () => missing.output(),
      () => missing.run('true'),
    ];
    for (const call of calls) {
      const error = await rejection(call());
      check(error instanceof sdk.NotFoundError, `not found: ${error}`);
      isLike((error as AutoTerminalError).code, 'terminal-not-found');
    }
    const key = `conflict-${Math.random()}`;
    await client.terminals.create({ name: 'one' }, { key });
    const conflict = await rejection(client.terminals.create({ name: 'two' }, { key }));
    check(conflict instanceof sdk.ConflictError, `conflict: ${conflict}`);
    const dead = await rejection(sdk.connect(deadUrl).health());
    check(dead instanceof sdk.NoServiceError, `no service: ${dead}`);
  },

  'a signal ends a call, which rejects with its reason': async ({ connect }, { url }) => {
    const terminal = await connect(url).terminals.create({ command: ['cat'] });
    const leaving = new AbortController();
    const waiting = rejection(terminal.waitFor({ until: 'exit', signal: leaving.signal }));
    const reason = new Error('enough');
    leaving.abort(reason);
    check((await waiting) === reason, 'the call rejects with the reason');
    check((await rejection(terminal.info({ signal: leaving.signal }))) === reason, 'a later call, too');
    const watching = new AbortController();
    const watched = rejection(
      connect(url)
        .watch({ terminals: [terminal.id], signal: watching.signal })
        .next()
        .then(() => {
          watching.abort(reason);
          return connect(url).watch({ signal: watching.signal }).next();
        }),
    );
    check((await watched) === reason, 'a stream rejects with the reason');
  },

  'a call whose connection breaks is repeated with its key, and takes effect once': async (
    { connect },
    ground,
  ) => {
    const labels = { case: 'cut' };
    const terminal = await connect(ground.cuttingUrl).terminals.create({ ...bash, labels });
    const created = await connect(ground.url).terminals.list({ selector: 'case=cut' });
    isLike(
      created.map(({ id }) => id),
      [terminal.id],
    );
    const { raw } = await terminal.run('echo ran');
    isLike(raw, 'ran\n');
  },

  'events go on across a kill of the service, each once': async ({ connect }, { url, restartUrl }) => {
    const client = connect(url);
    const terminal = await client.terminals.create(bash);
    const stopping = new AbortController();
    const seen: string[] = [];
    let ready = () => {};
    const isReady = new Promise<void>((resolve) => {
      ready = resolve;
    });
    const follow = async () => {
      const options = {
        types: ['command.finished'],
        terminals: [terminal.id],
        signal: stopping.signal,
        onReady: () => ready(),
      };
      for await (const event of client.events(options))
        seen.push(event.type === 'reset' ? 'reset' : String((event as ServiceEvent).data.commandLine));
    };
    const ended = rejection(follow());
    await isReady;
    for (const command of ['echo 1', 'echo 2']) await terminal.run(command);
    await eventually('two are seen', () => seen.length === 2);
    await fetch(restartUrl, { method: 'POST' });
    for (const command of ['echo 3', 'echo 4']) await terminal.run(command);
    await eventually('all are seen', () => seen.includes('echo 4'));
    isLike(seen, ['echo 1', 'echo 2', 'echo 3', 'echo 4']);
    stopping.abort('enough');
    isLike(await ended, 'enough');
  },
};
