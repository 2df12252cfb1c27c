import { chmodSync, lstatSync, mkdirSync, rmSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { MAX_SOCKET_PATH_BYTES } from '../../../contract/limits.js';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** Denies others access to the socket between its creation and chmod. */
const PRIVATE_UMASK = 0o177;

export interface Listening {
  /** Descriptor of the socket. */
  readonly fd: number;
  /** Stops accepting connections and removes the socket, if the path still holds this host's socket. */
  close(): void;
}

/**
 * Listens on `path`, for this user alone. Returns null when another host answers there. A socket on which nobody
 * answers was left by a killed host, and is replaced. Throws when it cannot listen, or when the path is too long.
 */
export async function listenOn(path: string, onSocket: (socket: Socket) => void): Promise<Listening | null> {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    throw new Error(`socket path is longer than ${MAX_SOCKET_PATH_BYTES} bytes: ${path}`);
  }
  // An existing folder keeps its mode, since it may be one of the system's.
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
  if (await answers(path)) return null;
  try {
    return await bind(path, onSocket);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
  }
  // Asked again, since another host may have taken the path meanwhile.
  if (await answers(path)) return null;
  unlinkSync(path);
  return bind(path, onSocket);
}

/** Listens on a socket that this process listened on at `path` before it was renewed. Rejects with the system's error. */
export function goOnListening(
  fd: number,
  path: string,
  onSocket: (socket: Socket) => void,
): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const server = createServer(onSocket);
    server.once('error', reject);
    server.once('listening', () => resolve(listening(server, path)));
    server.listen({ fd });
  });
}

/** Returns whether any process accepts connections on `path`. */
export function answers(path: string): Promise<boolean> {
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
      resolve(listening(server, path));
    });
    // Set only while the socket is created, which happens before listen() returns: programs inherit the user's umask.
    const umask = process.umask(PRIVATE_UMASK);
    try {
      server.listen(path);
    } finally {
      process.umask(umask);
    }
  });
}

function listening(server: Server, path: string): Listening {
  const own = lstatSync(path, { throwIfNoEntry: false })?.ino;
  return {
    fd: (server as Server & ServerInternals)._handle?.fd ?? -1,
    close: () => {
      const isMine = own !== undefined && lstatSync(path, { throwIfNoEntry: false })?.ino === own;
      if (!isMine) {
        // Closing the server may make Node remove another file that is at the path by then.
        server.unref();
        return;
      }
      server.close();
      // Node knows no path for a socket that it has inherited.
      rmSync(path, { force: true });
    },
  };
}

/** Private members of Node's servers. */
interface ServerInternals {
  _handle?: { fd?: number } | null;
}
