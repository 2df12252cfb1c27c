import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { type Caller, type GuardPolicy, refuse, refuseHost } from '#dist/gateway/guard.js';

const exposed = {
  pagePorts: [42030],
  allowedOrigins: ['https://panel.example'],
  exposed: true,
  localUsers: 'own' as const,
  authToken: 'ab'.repeat(32),
};
const local = { ...exposed, exposed: false };

/** The refusal of a request from this machine, unless `caller` gives another address. */
function refusalOf(caller: Partial<Caller>, by: GuardPolicy) {
  const { headers, ...rest } = caller;
  const usual = { method: 'GET', url: '/api/terminals', address: '127.0.0.1' };
  return refuse({ ...usual, ...rest, headers: { host: 'localhost', ...headers } }, by);
}

describe('exposed', () => {
  const token = exposed.authToken;
  const bearer = { authorization: `Bearer ${token}` };
  const upgrade = { upgrade: 'websocket', connection: 'Upgrade' };
  const unauthorized = expect.objectContaining({ status: 401, message: 'unauthorized' });

  test('the token is required, and compared as a whole', () => {
    expect(refusalOf({}, exposed)).toEqual(unauthorized);
    expect(refusalOf({ headers: bearer }, exposed)).toBeUndefined();
    expect(refusalOf({ headers: { authorization: `bearer   ${token} ` } }, exposed)).toBeUndefined();
    for (const wrong of ['', token.slice(1), `${token}0`, token.toUpperCase(), `Bearer ${token}`])
      expect(refusalOf({ headers: { authorization: `Bearer ${wrong}` } }, exposed)).toEqual(unauthorized);
    expect(refusalOf({ headers: { authorization: `Basic ${token}` } }, exposed)).toEqual(unauthorized);
    expect(refusalOf({ url: `/api/terminals?token=${token}` }, exposed)).toEqual(unauthorized);
  });

  test('an upgrade has the token in the query, not in a header', () => {
    expect(refusalOf({ url: `/ws?seq=1&token=${token}`, headers: upgrade }, exposed)).toBeUndefined();
    expect(refusalOf({ url: '/ws', headers: { ...upgrade, ...bearer } }, exposed)).toEqual(unauthorized);
    expect(refusalOf({ url: '/ws?token=', headers: upgrade }, exposed)).toEqual(unauthorized);
  });

  test('the next token is accepted, too, while it takes effect', () => {
    const comingToken = 'cd'.repeat(32);
    const headers = { authorization: `Bearer ${comingToken}` };
    expect(refusalOf({ headers }, exposed)).toEqual(unauthorized);
    expect(refusalOf({ headers }, { ...exposed, comingToken })).toBeUndefined();
    expect(refusalOf({ headers: bearer }, { ...exposed, comingToken })).toBeUndefined();
  });

  test('while there is no token, none is accepted', () => {
    const none = { ...exposed, authToken: undefined, comingToken: undefined };
    expect(refusalOf({ headers: { authorization: 'Bearer undefined' } }, none)).toEqual(unauthorized);
  });

  test('health needs no token; paths that only look like it do', () => {
    for (const url of ['/health', '/api/health', '/health?x=1'])
      expect(refusalOf({ url }, exposed)).toBeUndefined();
    for (const url of [
      '/health/',
      '/healthy',
      '/api/health/../terminals',
      '//health',
      '/api/terminals?/health',
    ])
      expect(refusalOf({ url }, exposed)).toEqual(unauthorized);
  });

  test('the Host may be an address or name of this machine, and no other', () => {
    const name = hostname().toLowerCase();
    expect(refuseHost(name, true)).toBeUndefined();
    expect(refuseHost(`${name}:42031`, true)).toBeUndefined();
    expect(refuseHost(name, false)).toMatchObject({ status: 403 });
    expect(refuseHost('evil.com', true)).toMatchObject({ status: 403 });
    expect(refuseHost('192.0.2.1', true)).toMatchObject({ status: 403 });
  });

  test('a page of another origin is refused although it knows the token', () => {
    const headers = { ...bearer, origin: 'http://evil.com' };
    expect(refusalOf({ headers }, exposed)).toMatchObject({ status: 403 });
  });

  test('a preflight cannot carry the token, and needs none', () => {
    const preflight = { origin: 'https://panel.example', 'access-control-request-method': 'POST' };
    expect(refusalOf({ method: 'OPTIONS', headers: preflight }, exposed)).toBeUndefined();
    expect(refusalOf({ method: 'OPTIONS', headers: { origin: preflight.origin } }, exposed)).toEqual(
      unauthorized,
    );
    expect(refusalOf({ method: 'GET', headers: preflight }, exposed)).toEqual(unauthorized);
  });

  test('a client still connected from elsewhere when exposing ends is refused', () => {
    const address = '192.0.2.7';
    expect(refusalOf({ address, headers: bearer }, exposed)).toBeUndefined();
    expect(refusalOf({ address, headers: bearer }, local)).toMatchObject({ status: 403 });
    expect(refusalOf({ address: '::ffff:127.0.0.1' }, local)).toBeUndefined();
    expect(refusalOf({ address: '::1' }, local)).toBeUndefined();
  });
});
