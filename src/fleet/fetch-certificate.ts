import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { pemOf } from './certificate.js';

/** Longest greeting of a server. */
const MAX_INFO_BYTES = 65_536;

/**
 * Resolves with the certificate, as PEM, that a NATS server shows; nothing secret is sent. The caller compares it with
 * the fingerprint of an invitation: the connection itself is not trusted. Rejects with the system's error, at the time
 * limit, and for a server without TLS.
 */
export async function fetchCertificate(host: string, port: number, timeoutMs: number): Promise<string> {
  const socket = connect({ host, port });
  const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    await greeting(socket);
    return await certificateOf(socket);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** Waits for the line that a server sends before TLS. */
function greeting(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (bytes: Buffer) => {
      text += bytes.toString('latin1');
      if (!text.includes('\r\n') && text.length < MAX_INFO_BYTES) return;
      socket.off('data', onData);
      // All further bytes are for TLS.
      socket.pause();
      if (/^INFO .*"tls_required":\s*true/.test(text)) resolve();
      else reject(new Error('the server at this address is no hub'));
    };
    socket.on('data', onData);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the server closed the connection')));
  });
}

function certificateOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    // The fingerprint decides, not an authority.
    const tls = connectTls({ socket, rejectUnauthorized: false });
    tls.once('secureConnect', () => {
      const { raw } = tls.getPeerCertificate();
      tls.destroy();
      if (raw) resolve(pemOf('CERTIFICATE', raw));
      else reject(new Error('the server shows no certificate'));
    });
    tls.once('error', reject);
    tls.once('close', () => reject(new Error('the server closed the connection')));
  });
}
