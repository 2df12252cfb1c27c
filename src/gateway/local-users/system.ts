import { loadCLibrary } from '../../workers/c-library.js';
import { LocalUsers } from './local-users.js';
import { ProcTcp } from './proc-tcp.js';
import { SockDiag } from './sock-diag.js';
import type { Endpoint, SocketOwner } from './socket-owner.js';

export interface OwnersOptions {
  /** Undefined where the system has no sock_diag. */
  diag: SocketOwner | undefined;
  tables: SocketOwner;
  onFault: (error: unknown) => void;
}

/**
 * Asks sock_diag, and the tables where it does not answer. A kernel without the module for TCP answers as if there were
 * no such socket: its "no" counts once it has found any. Without an answer nobody is found.
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

/** The users of this machine, as this process can know them. */
export function systemLocalUsers(onFault: (error: unknown) => void): LocalUsers {
  // Other systems do not tell of whom a connection is.
  if (process.platform !== 'linux') return new LocalUsers({ uid: undefined });
  const lookup = ownerLookup({ diag: openDiag(onFault), tables: new ProcTcp(), onFault });
  return new LocalUsers({ uid: process.geteuid?.(), ownerOf: lookup });
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
