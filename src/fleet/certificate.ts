import { createHash, randomBytes, webcrypto } from 'node:crypto';
import { replaceFile } from '../config/replace-file.js';

/** The name in each hub's certificate: the key is pinned, so the address of the hub may change. */
export const HUB_NAME = 'auto-terminal-hub';

const LIFETIME_YEARS = 20;
const PEM_LINE = 64;

/** Makes a self-signed certificate for a hub, and writes it and its key as PEM. Returns the certificate as PEM. */
export async function makeCertificate(files: { certificate: string; key: string }): Promise<string> {
  // Only a new hub needs the library, which takes as long to load as all other parts of the fleet, and which needs
  // `reflect-metadata` before it.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const now = Date.now();
  const until = new Date(now);
  until.setFullYear(until.getFullYear() + LIFETIME_YEARS);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      // A serial number is positive and begins with no zero.
      serialNumber: `40${randomBytes(15).toString('hex')}`,
      name: `CN=${HUB_NAME}`,
      // The clock of another machine may be behind.
      notBefore: new Date(now - 86_400_000),
      notAfter: until,
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: HUB_NAME }]),
      ],
    },
    webcrypto as never,
  );
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const pem = pemOf('CERTIFICATE', Buffer.from(certificate.rawData));
  await replaceFile(files.key, pemOf('PRIVATE KEY', key));
  await replaceFile(files.certificate, pem);
  return pem;
}

export function pemOf(kind: string, der: Buffer): string {
  const lines = der.toString('base64').match(new RegExp(`.{1,${PEM_LINE}}`, 'g')) ?? [];
  return `-----BEGIN ${kind}-----\n${lines.join('\n')}\n-----END ${kind}-----\n`;
}

/** Returns the SHA-256 of a certificate. */
export function fingerprintOf(pem: string): Buffer {
  const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  return createHash('sha256').update(der).digest();
}
