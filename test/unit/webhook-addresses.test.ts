import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { post } from '../../src/actors/webhooks/post.js';
import { hostOf, isRefused, type Resolve } from '../../src/actors/webhooks/refused-addresses.js';

const byte = fc.integer({ min: 0, max: 255 });
const hostIn = (url: string) => hostOf(new URL(url));

describe('a refused address', () => {
  it('is each link-local one, in every notation that a URL takes', () => {
    fc.assert(
      fc.property(byte, byte, (c, d) => {
        const number = ((169 << 24) | (254 << 16) | (c << 8) | d) >>> 0;
        const low = ((c << 8) | d).toString(16);
        const notations = [
          `169.254.${c}.${d}`,
          String(number),
          `0x${number.toString(16)}`,
          `0251.0376.${c}.${d}`,
          `[::ffff:169.254.${c}.${d}]`,
          `[::ffff:a9fe:${low}]`,
          `[::169.254.${c}.${d}]`,
          `[::ffff:0:169.254.${c}.${d}]`,
          `[64:ff9b::a9fe:${low}]`,
          `[64:ff9b:1::a9fe:${low}]`,
          `[2002:a9fe:${low}::1]`,
        ];
        for (const host of notations)
          expect([host, isRefused(hostIn(`http://${host}:80/`))]).toEqual([host, true]);
      }),
    );
    for (const address of ['fe80::1', 'febf::1', 'fe80::1%eth0']) expect(isRefused(address)).toBe(true);
  });

  it.each([
    'fd00:ec2::254',
    'fd20:ce::254',
    'fd00:42::42',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    '::ffff:168.63.129.16',
    '::100.100.100.200',
    '::ffff:0:192.0.0.192',
    '64:ff9b:1::168.63.129.16',
  ])('is %s, at which a cloud serves credentials or settings', (address) =>
    expect(isRefused(address)).toBe(true),
  );

  it.each([
    '127.0.0.1',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:0:10.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::10.0.0.1',
    '10.0.0.1',
    '192.168.1.1',
    '172.17.0.1',
    '169.253.255.255',
    '169.255.0.0',
    'fec0::1',
    'fe7f::1',
    'fd00::1',
    '2001:db8::1',
    'example.com',
  ])('is not %s', (address) => expect(isRefused(address)).toBe(false));
});

describe('a name', () => {
  let server: Server;
  let asked = 0;
  beforeEach(async () => {
    asked = 0;
    server = createServer((_request, response) => {
      asked++;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => server.close());

  const postTo = (resolve: Resolve) => {
    const { port } = server.address() as AddressInfo;
    const { signal } = new AbortController();
    const options = { timeoutMs: 5_000, signal, resolve };
    return post({ url: `http://receiver.test:${port}/`, headers: {}, body: '{}' }, options);
  };
  const answering =
    (...answers: LookupAddress[][]): Resolve =>
    (_name, _options, answer) =>
      answer(null, answers.shift() ?? []);
  const LOOPBACK = { address: '127.0.0.1', family: 4 };

  it('is posted to at the very address that was checked', async () => {
    let lookups = 0;
    // A name whose address is harmless when it is checked, and link-local at the next lookup.
    const rebinding: Resolve = (_name, _options, answer) =>
      answer(null, lookups++ === 0 ? [LOOPBACK] : [{ address: '169.254.169.254', family: 4 }]);
    expect(await postTo(rebinding)).toMatchObject({ status: 200, error: null });
    expect([lookups, asked]).toEqual([1, 1]);
  });

  it.each([
    ['IPv4', { address: '169.254.169.254', family: 4 }],
    ['IPv6', { address: 'fe80::1', family: 6 }],
    ['IPv4 within IPv6', { address: '::ffff:169.254.169.254', family: 6 }],
  ])('with a link-local address (%s) among others is posted to at none', async (_kind, address) => {
    const result = await postTo(answering([LOOPBACK, address]));
    expect(result).toMatchObject({ status: null, error: expect.stringContaining(address.address) });
    expect(asked).toBe(0);
  });

  it('without an address, or that cannot be looked up, fails', async () => {
    expect(await postTo(answering([]))).toMatchObject({ status: null, error: expect.any(String) });
    const failing: Resolve = (_name, _options, answer) => answer(new Error('no such name'), []);
    expect(await postTo(failing)).toMatchObject({ status: null, error: 'no such name' });
    expect(asked).toBe(0);
  });

  it('is not looked up where the URL has a number: that is checked as it is', async () => {
    const { signal } = new AbortController();
    const url = 'http://[::ffff:169.254.169.254]:9/';
    const result = await post({ url, headers: {}, body: '{}' }, { timeoutMs: 5_000, signal });
    expect(result).toMatchObject({ status: null, error: expect.stringContaining('is refused') });
  });
});
