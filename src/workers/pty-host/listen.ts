import { chmodSync, lstatSync, mkdirSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { MAX_SOCKET_PATH_BYTES } from '../../contract/limits.js';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** Takes away what others could do with the socket between its making and chmod. */
const PRIVATE_UMASK = 0o177;

export interface Listening {
  /** Takes no more connections and removes the socket, when it is still this host's. */
  close(): void;
}

/**
 * Listens on `path`, for this user alone. Null when another host answers there; a socket nobody answers on is left
 * from one that was killed, and is replaced. Throws when it can not listen.
 */
export async function listenOn(path: string, onSocket: (socket: Socket) => void): Promise<Listening | null> {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    throw new Error(`socket path is longer than ${MAX_SOCKET_PATH_BYTES} bytes: ${path}`);
  }
  // A folder that stands already keeps its mode: it may be one of the system's.
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
  if (await answers(path)) return null;
  try {
    return await bind(path, onSocket);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
  }
  // Asked again: another host may have taken the path since.
  if (await answers(path)) return null;
  unlinkSync(path);
  return bind(path, onSocket);
}

/** Whether somebody accepts connections on `path`. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function bind(path: string, onSocket: (socket: Socket) => void): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const server = createServer(onSocket);
    server.once('error', reject);
    server.once('listening', () => {
      chmodSync(path, PRIVATE_FILE);
      const own = lstatSync(path).ino;
      resolve({ close: () => closeServer(server, path, own) });
    });
    // Only while the socket is made, which happens before listen() returns: the programs' umask is the user's.
    const umask = process.umask(PRIVATE_UMASK);
    try {
      server.listen(path);
    } finally {
      process.umask(umask);
    }
  });
}

function closeServer(server: Server, path: string, own: number): void {
  // Node would remove whatever is at the path by now.
  const mine = lstatSync(path, { throwIfNoEntry: false })?.ino === own;
  if (mine) server.close();
  else server.unref();
}
