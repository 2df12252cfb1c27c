import type { IncomingHttpHeaders } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { Sessions } from '#dist/gateway/dashboard/sessions.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const HOST = '127.0.0.1:42030';
const OWN = { host: HOST, origin: `http://${HOST}` };

let now: number;
let access: { needsToken: boolean; authToken: string | undefined };
let sessions: Sessions;
let port: number;

beforeEach(() => {
  now = 0;
  port = 42_030;
  access = { needsToken: true, authToken: 'right' };
  sessions = new Sessions({
    access: () => access,
    port: () => port,
    instanceId: '0b1f4ddc-4f4e-4d3b-9a6e-0a4d1de7a001',
    now: () => now,
  });
});

function setCookie(token = 'right', address = '10.0.0.1'): string {
  const login = sessions.begin(token, address);
  if ('refusal' in login) throw login.refusal;
  return login.cookie!;
}

const cookieOf = (set: string) => set.split(';', 1)[0]!;
const shown = (cookie: string, headers: IncomingHttpHeaders = OWN) =>
  sessions.isShownBy({ ...headers, cookie: `theme=dark; ${cookie}; x=y` });

const tries = (address: string, token = 'wrong') => {
  const login = sessions.begin(token, address);
  return 'refusal' in login ? [login.refusal.code, login.waitMs] : 'in';
};

describe('a session', () => {
  test('is a random cookie that scripts and other sites do not get, of this instance and port', () => {
    const cookies = [setCookie(), setCookie()];
    for (const cookie of cookies)
      expect(cookie).toMatch(/^at_0b1f4ddc_42030=[0-9a-f]{64}; HttpOnly; SameSite=Strict; Path=\/$/);
    expect(new Set(cookies).size).toBe(2);
    expect(cookies.map(cookieOf).map((cookie) => shown(cookie))).toEqual([true, true]);
    port = 42_040;
    expect(shown(cookieOf(cookies[0]!))).toBe(false);
  });

  test('lasts while it is used, and ends after 12 h without', () => {
    const cookie = cookieOf(setCookie());
    for (let turn = 0; turn < 3; turn++) {
      now += 12 * HOUR - 1;
      expect(shown(cookie)).toBe(true);
    }
    now += 12 * HOUR;
    expect([shown(cookie), shown(cookie)]).toEqual([false, false]);
  });

  test('ends at a logout', () => {
    const [cookie, other] = [cookieOf(setCookie()), cookieOf(setCookie())];
    expect(sessions.end({ ...OWN, cookie })).toMatch(/^at_0b1f4ddc_42030=; .*Max-Age=0$/);
    expect([shown(cookie), shown(other)]).toEqual([false, true]);
  });

  test('a page of another origin ends none', () => {
    const cookie = cookieOf(setCookie());
    sessions.end({ host: HOST, origin: 'http://127.0.0.1:3000', cookie });
    expect(shown(cookie)).toBe(true);
  });

  test('ends with its token, except for the one that asked for the next', () => {
    const [asking, other] = [cookieOf(setCookie()), cookieOf(setCookie())];
    access = { needsToken: true, authToken: 'next' };
    expect(shown(asking)).toBe(false);
    sessions.carryOver({ ...OWN, cookie: asking }, 'right', 'next');
    expect([shown(asking), shown(other)]).toEqual([true, false]);
    access = { needsToken: true, authToken: 'third' };
    sessions.carryOver({ ...OWN, cookie: other }, 'next', 'third');
    expect([shown(asking), shown(other)]).toEqual([false, false]);
  });

  test('the one that was idle for longest makes room', () => {
    const first = cookieOf(setCookie());
    const second = cookieOf(setCookie());
    for (let more = 0; more < 98; more++) setCookie();
    expect(shown(first)).toBe(true);
    setCookie();
    expect([shown(first), shown(second)]).toEqual([true, false]);
  });
});

describe('the cookie counts only for a page of the dashboard', () => {
  test.each<[string, IncomingHttpHeaders, boolean]>([
    ['its own Origin', OWN, true],
    ['its own Origin at another name', { host: 'localhost:42030', origin: 'http://localhost:42030' }, true],
    ['a GET of a page, by what the browser says', { host: HOST, 'sec-fetch-site': 'same-origin' }, true],
    [
      'a GET of a page where the browser says nothing',
      { host: HOST, 'x-auto-terminal-client': 'page' },
      true,
    ],
    ['nothing of these', { host: HOST }, false],
    ['another port', { host: HOST, origin: 'http://127.0.0.1:3000' }, false],
    ['another port, which says that it is a page', ofNeighbour({ origin: 'http://127.0.0.1:3000' }), false],
    ['a picture on a page of another port', { host: HOST, 'sec-fetch-site': 'same-site' }, false],
    ['the same, which says that it is a page', ofNeighbour({ 'sec-fetch-site': 'same-site' }), false],
    ['the address bar', { host: HOST, 'sec-fetch-site': 'none' }, false],
    ['null', { host: HOST, origin: 'null' }, false],
    ['no Host', { origin: 'http://undefined' }, false],
  ])('%s', (_name, headers, expected) => {
    expect(shown(cookieOf(setCookie()), headers)).toBe(expected);
  });

  function ofNeighbour(headers: IncomingHttpHeaders): IncomingHttpHeaders {
    return { host: HOST, 'x-auto-terminal-client': 'page', ...headers };
  }
});

describe('wrong tokens', () => {
  test('five a minute from an address, then none, not even the right one', () => {
    for (let turn = 0; turn < 5; turn++) {
      expect(tries('10.0.0.1')).toEqual(['unauthorized', 0]);
      now += 1_000;
    }
    expect(tries('10.0.0.1', 'right')).toEqual(['too-many-tries', MINUTE - 5_000]);
    expect(tries('10.0.0.2', 'right')).toBe('in');
    now = MINUTE - 1;
    expect(tries('10.0.0.1')).toEqual(['too-many-tries', 1]);
    now = MINUTE;
    expect(tries('10.0.0.1')).toEqual(['unauthorized', 0]);
    expect(tries('10.0.0.1')).toEqual(['too-many-tries', 1_000]);
  });

  test('thirty a minute in all', () => {
    for (let turn = 0; turn < 30; turn++) expect(tries(`10.0.0.${turn}`)).toEqual(['unauthorized', 0]);
    expect(tries('10.0.1.1', 'right')).toEqual(['too-many-tries', MINUTE]);
    now = MINUTE;
    expect(tries('10.0.1.1', 'right')).toBe('in');
  });

  test.each([undefined, '', 'righ', 'right '])('%j is none', (token) => {
    const login = sessions.begin(token, '10.0.0.1');
    expect('refusal' in login && login.refusal.code).toBe('unauthorized');
  });

  test('without a token nobody is let in; while not exposed nobody needs to be', () => {
    access = { needsToken: true, authToken: undefined };
    expect(tries('10.0.0.1', 'undefined')).toEqual(['unauthorized', 0]);
    access = { needsToken: false, authToken: 'right' };
    expect(sessions.begin('wrong', '10.0.0.1')).toEqual({ cookie: undefined });
    expect(sessions.isNeeded).toBe(false);
  });
});
