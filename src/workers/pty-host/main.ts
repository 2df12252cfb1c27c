/**
 * The pty host's process: `node main.js --socket <path> --spill-folder <path> [--orphan-ms <n>] [--idle-ms <n>]
 * [--ready-fd <n>] [--renew-state <fd> --renew-checkpoints <fd> [--check-renewal]]`.
 *
 * With the options of a renewal it goes on with the terminals of the program that it replaces, or only checks that it
 * could. A host of another release passes these options, so that their names and meaning are part of the state's format.
 *
 * Exits with 0 when its work is done, or when another host serves the socket; with 1 when it cannot start. Logs go to
 * stderr, which start-host.ts has made a file.
 */
import { closeSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_ORPHAN_MS, HOST_IDLE_EXIT_MS } from '../../contract/limits.js';
import { VERSION } from '../../contract/version.js';
import { readBootId } from '../boot-id.js';
import { releaseWhenQuiet } from '../memory-release.js';
import { SpillFile } from '../spill-file.js';
import { shortenTimeSlice } from '../time-slice.js';
import { Host } from './host.js';
import { Ledger } from './ledger/ledger.js';
import { Lifetime } from './lifetime.js';
import { Groups } from './limits/groups.js';
import { Limiter } from './limits/limiter.js';
import { CheckpointStore } from './log/checkpoint-store.js';
import { ForegroundJobs } from './processes/foreground-jobs.js';
import { closeInheritedFiles } from './processes/inherited-files.js';
import { Killer, type Session } from './processes/killer.js';
import { systemNiceness } from './processes/niceness.js';
import { processTree } from './processes/process-tree.js';
import { loadLibc } from './pty/libc.js';
import { loadPty } from './pty/pty.js';
import { EarlierState } from './renewal/earlier-state.js';
import { loadExecLibc } from './renewal/exec-libc.js';
import { CHECK_OPTION, CHECKPOINTS_OPTION, Renewal, STATE_OPTION } from './renewal/renewal.js';
import { TmuxServer } from './tmux/tmux-server.js';
import { goOnListening, type Listening, listenOn } from './wire/listen.js';
import { Peer } from './wire/peer.js';

const STDERR = 2;

/** Variable with the folder in which control groups are made; without it, the place is found. */
const GROUP_FOLDER = 'AUTO_TERMINAL_CGROUP_ROOT';

/** Folder of the ledger, beside the spill file. */
const LEDGER_FOLDER = 'pty-host-terminals';

function log(message: string): void {
  try {
    writeSync(STDERR, `${new Date().toISOString()} pty-host ${process.pid}: ${message}\n`);
  } catch {
    // A full disk must not end the terminals.
  }
}

/** Writes one byte, which lets the starter connect. */
function tellStarter(fd: number): void {
  try {
    writeSync(fd, '.');
  } catch {
    // The starter has gone; another service may come.
  }
  closeSync(fd);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      socket: { type: 'string' },
      'spill-folder': { type: 'string' },
      'orphan-ms': { type: 'string', default: String(DEFAULT_ORPHAN_MS) },
      'idle-ms': { type: 'string', default: String(HOST_IDLE_EXIT_MS) },
      'ready-fd': { type: 'string' },
      [STATE_OPTION]: { type: 'string' },
      [CHECKPOINTS_OPTION]: { type: 'string' },
      [CHECK_OPTION]: { type: 'boolean', default: false },
    },
  });
  const { socket, 'spill-folder': folder } = values;
  if (!socket) throw new Error('--socket is missing');
  if (!folder) throw new Error('--spill-folder is missing');
  const exec = loadExecLibc(process.platform, process.arch);
  const libc = loadLibc(process.platform, process.arch);
  const before = EarlierState.at(values[STATE_OPTION], values[CHECKPOINTS_OPTION]);
  if (before) {
    // Without the C library the host cannot detect how the programs of the earlier terminals end.
    if ('missing' in exec) throw new Error(exec.missing);
    if ('missing' in libc) throw new Error(libc.missing);
    if (values[CHECK_OPTION]) {
      before.check();
      process.exit(0);
    }
    before.own(exec);
  }
  const readyFd = values['ready-fd'] ? Number(values['ready-fd']) : null;
  closeInheritedFiles(new Set(before?.descriptors ?? (readyFd === null ? [] : [readyFd])));

  releaseWhenQuiet();
  shortenTimeSlice();
  let listening: Listening | null = null;
  const tree = processTree();
  const killer = new Killer(tree, log);
  const { startedAt } = tree;
  const bootId = readBootId();
  const groups = new Groups({ folder: process.env[GROUP_FOLDER], tag: socket, log });
  const kill = (session: Session) => killer.kill(session);
  const onFault = ({ message }: Error) => log(`checkpoints stay in memory: ${message}`);
  const host = new Host({
    ptys: loadPty(libc, log),
    tmux: new TmuxServer({ libc, log, startedAt, kill, watchPath: `${socket}.watch` }),
    checkpoints: new CheckpointStore({ spill: new SpillFile({ folder, onFault }), log }),
    killer,
    jobs: new ForegroundJobs(tree),
    ledger: new Ledger({
      folder: join(folder, LEDGER_FOLDER),
      boot: bootId,
      host: { pid: process.pid, startedAt: startedAt(process.pid) },
      log,
    }),
    bootId,
    niceness: systemNiceness(log),
    groups,
    limiter: new Limiter(groups),
    log,
    startedAt,
    changed: (state) => lifetime.update(state),
    renewal:
      'missing' in exec
        ? exec
        : new Renewal({
            ...{ libc: exec, folder, log },
            keep: () => host.keep(),
            idle: async () => {
              await killer.idle();
              await groups.idle();
            },
            isBusy: () => killer.busy || groups.busy,
            listening: () => listening!.fd,
            options: () => {
              const places = ['--socket', socket, '--spill-folder', folder];
              return [...places, '--orphan-ms', String(lifetime.orphanMs), '--idle-ms', values['idle-ms']];
            },
          }),
    shutdown: () => void shutdown(),
  });
  const shutdown = async (): Promise<void> => {
    lifetime.stop();
    // Comes first, so that a service that connects now finds no host and starts a new one. A socket that cannot be removed,
    // as in a folder that has become read-only, answers nobody; the next host replaces it.
    try {
      listening?.close();
    } catch (error) {
      log(`the socket cannot be removed: ${error}`);
    }
    await host.closeAll();
    // A process that cannot be killed would block a normal exit: node-pty's thread that watches it cannot be joined.
    if (killer.abandoned) process.kill(process.pid, 'SIGKILL');
    process.exit(0);
  };
  const lifetime = new Lifetime({
    idleMs: Number(values['idle-ms']),
    orphanMs: Number(values['orphan-ms']),
    onIdle: () => void shutdown(),
    onOrphaned: () => {
      log('no service has connected: closing the terminals');
      void shutdown();
    },
  });

  // The host outlives the terminal session from which it was started.
  for (const signal of ['SIGHUP', 'SIGINT'] as const) process.on(signal, () => {});
  process.on('SIGTERM', () => void shutdown());
  // A fault in one terminal must not cost all the others their programs.
  process.on('uncaughtException', (error) => log(`fault: ${error.stack ?? error}`));

  const events = {
    frame: (peer: Peer, type: number, handle: number, payload: Buffer) =>
      host.frame(peer, type, handle, payload),
    closed: (peer: Peer) => host.closed(peer),
    log,
  };
  const onSocket = (peer: Socket) => new Peer(peer, events);
  if (before) {
    // First the terminals, since their programs wait for them.
    host.adopt(before.head, before.terminals());
    listening = await goOnListening(before.head.listening, socket, onSocket);
    before.close();
    log(`goes on as ${VERSION} with ${before.head.terminals.length} terminals`);
    return;
  }
  listening = await listenOn(socket, onSocket);
  if (!listening) process.exit(0);
  host.takeOver();
  log(`listening on ${socket}`);
  if (readyFd !== null) tellStarter(readyFd);
}

main().catch((error: unknown) => {
  log(`cannot start: ${error instanceof Error ? error.stack : error}`);
  process.exit(1);
});
