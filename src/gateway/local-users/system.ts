import { loadCLibrary } from '../../workers/c-library.js';
import { LocalUsers } from './local-users.js';
import { PeerOfSocket } from './peer-credentials.js';
import { ProcTcp } from './proc-tcp.js';
import { SockDiag } from './sock-diag.js';
import type { Endpoint, SocketOwner } from './socket-owner.js';

export interface OwnersOptions {
  /** Undefined if sock_diag is not available. */
  diag: SocketOwner | undefined;
  tables: SocketOwner;
  onFault: (error: unknown) => void;
}

/**
 * Returns a lookup that asks sock_diag, and the tables if sock_diag does not answer. A kernel without the module for
 * TCP answers as if there were no such socket, so a "no" of sock_diag counts only once it has found any socket. Without
 * an answer of either, the lookup returns null.
 */
export function ownerLookup({ diag, tables, onFault }: OwnersOptions) {
  let isProven = false;

  function byDiag(local: Endpoint, remote: Endpoint): number | null | undefined {
    try {
      const owner = diag?.find(local, remote);
      if (typeof owner === 'number') isProven = true;
      return owner === null && !isProven ? undefined : owner;
    } catch (error) {
      onFault(error);
      return undefined;
    }
  }

  return (local: Endpoint, remote: Endpoint): number | null => {
    const found = byDiag(local, remote);
    if (found !== undefined) return found;
    try {
      return tables.find(local, remote);
    } catch (error) {
      onFault(error);
      return null;
    }
  };
}

/** Returns the users of this machine, as far as this process can see them. */
export function systemLocalUsers(onFault: (error: unknown) => void): LocalUsers {
  // Other systems do not report the user of a connection.
  if (process.platform !== 'linux') return new LocalUsers({ uid: undefined });
  const lookup = ownerLookup({ diag: openDiag(onFault), tables: new ProcTcp(), onFault });
  return new LocalUsers({ uid: process.geteuid?.(), ownerOf: lookup });
}

/** Returns how to ask for the other end of a unix socket; undefined where the system does not report it. */
export function systemPeers(): PeerOfSocket | undefined {
  const library = loadCLibrary(process.platform, process.arch);
  return 'missing' in library ? undefined : new PeerOfSocket(library);
}

function openDiag(onFault: (error: unknown) => void): SockDiag | undefined {
  const library = loadCLibrary(process.platform, process.arch);
  if ('missing' in library) return undefined;
  try {
    return new SockDiag(library);
  } catch (error) {
    onFault(error);
    return undefined;
  }
}
