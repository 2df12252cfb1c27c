import { createHmac, randomBytes } from 'node:crypto';
import type { TokenBody } from '../contract/legacy.js';

const LIFETIME_S = 24 * 3_600;

const HEADER = { alg: 'HS256', typ: 'JWT' };

/**
 * Creates an issuer of JWTs (RFC 7519, HS256). Its key is random and known to nothing else, so the tokens grant
 * nothing.
 */
export function createTokenIssuer(): (body: TokenBody, nowMs: number) => string {
  const key = randomBytes(32);
  return ({ clientId, permissions }, nowMs) => {
    const iat = Math.floor(nowMs / 1_000);
    const claims = { sub: clientId ?? 'anonymous', clientId, permissions, iat, exp: iat + LIFETIME_S };
    const content = `${encode(HEADER)}.${encode(claims)}`;
    return `${content}.${createHmac('sha256', key).update(content).digest('base64url')}`;
  };
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
