import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  PACKED_PATH,
  SCRIPT,
  SCRIPT_PATH,
  startWithDashboard,
  type WithDashboard,
} from '../support/dashboard.js';

let service: WithDashboard;

beforeAll(async () => {
  service = await startWithDashboard();
});
afterAll(() => service?.stop());

const HTML = { accept: 'text/html,*/*;q=0.8' };
const STRICT =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data: blob:; " +
  "font-src 'self'; manifest-src 'self'; worker-src 'self'; frame-src 'self'; base-uri 'none'; " +
  "form-action 'self'; script-src 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
  "trusted-types 'none'";

describe('files', () => {
  test.each([
    ['/', 'text/html; charset=utf-8', 'no-store'],
    ['/index.html', 'text/html; charset=utf-8', 'no-store'],
    ['/player.html', 'text/html; charset=utf-8', 'no-store'],
    [SCRIPT_PATH, 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/style-12345678.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/icon.svg?x=1', 'image/svg+xml', 'no-cache'],
  ])('%s', async (path, type, caching) => {
    const { status, headers } = await service.raw({ path });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': type,
      'cache-control': caching,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  test('pages may load nothing from elsewhere, and only the player may compile', async () => {
    const index = await service.raw({ path: '/' });
    expect(index.headers['content-security-policy']).toBe(STRICT);
    expect(index.headers['cross-origin-opener-policy']).toBe('same-origin');
    const player = String((await service.raw({ path: '/player.html' })).headers['content-security-policy']);
    expect(player).toContain("script-src 'self' 'wasm-unsafe-eval'");
    expect(player).toContain("frame-ancestors 'self'");
    expect(player).not.toContain('trusted-types');
  });

  test('an ETag saves the bytes', async () => {
    const { headers } = await service.raw({ path: SCRIPT_PATH });
    const again = { 'if-none-match': `"other", W/${headers.etag}` };
    expect(await service.raw({ path: SCRIPT_PATH, headers: again })).toMatchObject({ status: 304, body: '' });
    const other = { 'if-none-match': '"other"' };
    expect((await service.raw({ path: SCRIPT_PATH, headers: other })).status).toBe(200);
  });

  test('HEAD has the headers alone', async () => {
    const { status, headers, body } = await service.raw({ method: 'HEAD', path: SCRIPT_PATH });
    expect([status, headers['content-length'], body]).toEqual([200, String(SCRIPT.length), '']);
  });

  test.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
    ['gzip', 'gzip', gunzipSync, PACKED_PATH],
    ['br', undefined, (bytes: Buffer) => bytes, PACKED_PATH],
  ])('Accept-Encoding: %s', async (accepted, coding, unpack, path = SCRIPT_PATH) => {
    const bytes = await new Promise<{ coding: string | undefined; body: Buffer }>((resolve, reject) => {
      request(`${service.url}${path}`, { headers: { 'accept-encoding': accepted } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ coding: response.headers['content-encoding'], body: Buffer.concat(chunks) }),
        );
      })
        .on('error', reject)
        .end();
    });
    expect(bytes.coding).toBe(coding);
    expect(unpack(bytes.body).toString()).toBe(SCRIPT);
  });
});

describe('a path without a file', () => {
  test.each(['/needs', '/t/term_1?at=cmd_1', '/settings/connections', '/w/'])(
    '%s is the page',
    async (path) => {
      const { status, body } = await service.raw({ path, headers: HTML });
      expect([status, body.includes('index')]).toEqual([200, true]);
    },
  );

  test.each([
    '/api/unknown',
    '/api',
    '/health/x',
    '/metrics/x',
    '/docs/x.html',
    '/openapi',
    '/mcp',
    '/assets/gone-12345678.js',
    '/favicon.ico',
  ])('%s is a 404 in JSON', async (path) => {
    const { status, body } = await service.raw({ path, headers: HTML });
    expect([status, JSON.parse(body)]).toEqual([404, expect.objectContaining({ code: 'not-found' })]);
  });

  test('is a 404 for programs, and for other methods', async () => {
    expect((await service.raw({ path: '/needs', headers: { accept: '*/*' } })).status).toBe(404);
    expect((await service.raw({ method: 'DELETE', path: '/needs', headers: HTML })).status).toBe(404);
  });

  test.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/..%5csecret.txt',
    '//secret.txt',
    '/assets/..%00/secret.txt',
    `${SCRIPT_PATH}.gz`,
  ])('%s leads nowhere', async (path) => {
    const { hostname, port, host } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.end(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(answer).not.toContain('\r\n\r\nsecret');
  });
});

describe('the listener of the API', () => {
  test.each(['/index.html', SCRIPT_PATH, '/icon.svg', '/needs', '/player.html'])(
    'has no %s',
    async (path) => {
      expect((await service.api.raw({ path, headers: HTML })).status).toBe(404);
    },
  );

  test('sends a browser on to the dashboard, and nothing else', async () => {
    const { host, port } = new URL(service.app.url);
    const { port: page } = new URL(service.url);
    const shown = await service.api.raw({ path: '/', headers: HTML });
    expect([shown.status, shown.headers.location]).toEqual([302, `${service.url}/`]);
    const named = await service.api.raw({ path: '/', headers: { ...HTML, host: `localhost:${port}` } });
    expect(named.headers.location).toBe(`http://localhost:${page}/`);
    expect((await service.api.raw({ path: '/' })).status).toBe(404);
    expect((await service.api.raw({ method: 'POST', path: '/', headers: HTML })).status).toBe(404);
    const foreign = { ...HTML, host, origin: 'http://evil.example' };
    expect((await service.api.raw({ path: '/', headers: foreign })).status).toBe(403);
  });
});
