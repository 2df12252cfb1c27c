import { describe, expect, test } from 'vitest';
import { corsHeaders } from '#dist/gateway/cors.js';
import { refuse, refuseContentType, refuseHost, refuseOrigin } from '#dist/gateway/guard.js';

const policy = {
  pagePorts: [42030],
  allowedOrigins: ['https://panel.example', 'tauri://localhost'],
  exposed: false,
  localUsers: 'own' as const,
  authToken: 'ab'.repeat(32),
};

describe('Host', () => {
  test.each([
    'localhost',
    'LOCALHOST:42031',
    'localhost:1',
    'api.localhost:42031',
    'a_b.c-d.localhost',
    '127.0.0.1',
    '127.0.0.1:42031',
    '127.255.255.254:65535',
    '[::1]',
    '[::1]:42031',
  ])('%s is accepted', (host) => {
    expect(refuseHost(host, false)).toBeUndefined();
  });

  test.each([
    undefined,
    '',
    ' ',
    ':42031',
    'example.com',
    'localhost.evil.com',
    '127.0.0.1.evil.com',
    'evil.com:42031',
    'evillocalhost',
    '.localhost',
    'a..localhost',
    '-a.localhost',
    'localhost.',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
    '127.0.0.256',
    '127.0.0.01',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '0.0.0.0',
    '128.0.0.1',
    '10.0.0.1:42031',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::]',
    '[::1',
    '::1',
    '[::1]evil.com',
    'user@localhost',
    'user:pass@127.0.0.1',
    'localhost@evil.com',
    'localhost:',
    'localhost:99999',
    'localhost:42031:1',
    'localhost:0x1',
    'localhost/evil',
    'localhost#',
    'localhost evil.com',
    'localhost,evil.com',
    'localhost\\evil.com',
    'loc%61lhost',
    'ⓛocalhost',
    'localhost\n',
  ])('%j is refused', (host) => {
    expect(refuseHost(host, false)).toMatchObject({ status: host === undefined ? 400 : 403 });
  });
});

describe('Origin', () => {
  test.each([
    undefined,
    'http://localhost:42030',
    'http://127.0.0.1:42030',
    'http://[::1]:42030',
    'http://dash.localhost:42030',
    'HTTP://LOCALHOST:42030',
    'https://panel.example',
    'https://PANEL.example',
    'tauri://localhost',
  ])('%s is accepted', (origin) => {
    expect(refuseOrigin(origin, policy)).toBeUndefined();
  });

  test.each([
    '',
    'null',
    'http://localhost',
    'http://localhost:42031',
    'https://localhost:42030',
    'http://localhost:42030/',
    'http://localhost:42030.evil.com',
    'http://evil.com:42030',
    'http://localhost:42030@evil.com',
    'http://127.1:42030',
    'http://127.0.0.2:42030',
    'http://localhost.evil.com:42030',
    'https://panel.example.evil.com',
    'https://panel.example:444',
    'https://evil.com/https://panel.example',
    'file://',
    'http://localhost:42030, http://evil.com',
    '*',
  ])('%j is refused', (origin) => {
    expect(refuseOrigin(origin, policy)).toMatchObject({ status: 403 });
  });

  test('every port but ours is foreign; each of several origins is checked', () => {
    const none = { ...policy, pagePorts: [], allowedOrigins: [] };
    const refused = { status: 403 };
    expect(refuseOrigin('http://localhost:0', { ...none, pagePorts: [80] })).toMatchObject(refused);
    expect(refuseOrigin('http://localhost:42030', none)).toMatchObject(refused);
    expect(refuseOrigin('http://localhost:0', { ...none, pagePorts: [0] })).toMatchObject(refused);
    const two = { ...none, pagePorts: [42030, 42032] };
    expect(refuseOrigin('http://localhost:42030', two)).toBeUndefined();
    expect(refuseOrigin('http://127.0.0.1:42032', two)).toBeUndefined();
    expect(refuseOrigin('http://localhost:42031', two)).toMatchObject(refused);
  });
});

describe('content type', () => {
  const body = { 'content-length': '2' };

  test.each([
    'text/plain',
    'Text/Plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    ' text/plain ; charset=application/json',
  ])('%s, which any page may send, is 403 and names the right type', (type) => {
    const refusal = refuseContentType('POST', { ...body, 'content-type': type });
    expect(refusal).toMatchObject({ status: 403 });
    expect(refusal?.message).toBe('The body is not declared as JSON');
    expect(refusal?.fix).toContain('Content-Type: application/json');
  });

  test.each([
    'application/xml',
    'text/json',
    'application/jsonp',
    'json',
    '',
    'text/plain, application/json',
  ])('%j is 415', (type) => {
    expect(refuseContentType('POST', { ...body, 'content-type': type })).toMatchObject({ status: 415 });
  });

  test('a body without a content type is 415, no body needs none', () => {
    expect(refuseContentType('POST', body)).toMatchObject({ status: 415 });
    expect(refuseContentType('POST', { 'transfer-encoding': 'chunked' })).toMatchObject({ status: 415 });
    expect(refuseContentType('POST', {})).toBeUndefined();
    expect(refuseContentType('DELETE', { 'content-length': '0' })).toBeUndefined();
  });

  test('JSON is accepted, with parameters and in any case', () => {
    for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'application/json ;x=y']) {
      expect(refuseContentType('POST', { ...body, 'content-type': type })).toBeUndefined();
    }
  });

  test('a GET has no body to check', () => {
    expect(refuseContentType('GET', { 'content-type': 'text/plain' })).toBeUndefined();
  });
});

test('the Host is checked before all else', () => {
  const headers = { host: 'evil.com', origin: 'http://evil.com', 'content-type': 'text/plain' };
  const caller = { method: 'POST', url: '/api/terminals', address: '127.0.0.1' };
  expect(refuse({ ...caller, headers }, policy)?.message).toMatch(/^Host/);
  expect(refuse({ ...caller, headers: { ...headers, host: 'localhost' } }, policy)?.message).toMatch(
    /^Origin/,
  );
});

test('a preflight gets the methods, other answers only the origin', () => {
  expect(corsHeaders('https://panel.example', false)).not.toHaveProperty('access-control-allow-methods');
  expect(corsHeaders('https://panel.example', true)).toMatchObject({
    'access-control-allow-origin': 'https://panel.example',
    'access-control-allow-methods': expect.stringContaining('DELETE'),
  });
});

test('a page may speak MCP: it may send its headers and read the id of its session', () => {
  const heard = corsHeaders('https://panel.example', true);
  for (const name of ['Mcp-Session-Id', 'Mcp-Protocol-Version', 'Last-Event-Id', 'Authorization']) {
    expect(heard['access-control-allow-headers']?.split(', ')).toContain(name);
  }
  expect(corsHeaders('https://panel.example', false)['access-control-expose-headers']).toContain(
    'mcp-session-id',
  );
});
