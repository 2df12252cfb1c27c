import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

/** A proxy that speaks TLS in front of a service, with a self-signed certificate for localhost. */
export interface TlsProxy {
  url: string;
  /** File with the certificate. */
  certificate: string;
}

/** Starts a proxy in front of a service; it ends with the test. */
export async function tlsProxy(target: string): Promise<TlsProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'at-tls-'));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ...['-keyout', key, '-out', certificate],
  ]);
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer(
    { key: await readFile(key), cert: await readFile(certificate) },
    (client: Socket) => {
      const service = connect(Number(port), hostname);
      for (const socket of [client, service]) {
        sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      }
      client.pipe(service).pipe(client);
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await rm(folder, { recursive: true });
  });
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, certificate };
}
