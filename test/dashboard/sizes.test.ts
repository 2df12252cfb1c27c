import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../dist/dashboard');
const assets = readdirSync(join(folder, 'assets'));

const kilobytes = (files: Iterable<string>) =>
  [...files].reduce(
    (sum, file) => sum + gzipSync(readFileSync(join(folder, 'assets', file)), { level: 9 }).length,
    0,
  ) / 1_000;

/** Returns a file and all files that it imports when it is loaded, but not files that it loads later. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(folder, 'assets', file), 'utf8');
  for (const [, name] of text.matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([\w.-]+\.js)["']/g))
    loadedWith(name!, seen);
  return seen;
}

/** Finds the file that holds a page or library, by the name that it was built with. */
function assetOf(name: string): string {
  const found = assets.filter((file) => file.startsWith(`${name}-`) && file.endsWith('.js'));
  expect(found, name).toHaveLength(1);
  return found[0]!;
}

const html = readFileSync(join(folder, 'index.html'), 'utf8');
/** The scripts that a document names. */
function scriptsOf(document: string): string[] {
  return [...document.matchAll(/(?:src|href)="\/assets\/([\w.-]+\.js)"/g)].map(([, name]) => name!);
}

/** The files that the browser loads with the page: its scripts, and the files that they import at once. */
const first = scriptsOf(html);
const always = new Set(first.flatMap((name) => [...loadedWith(name)]));

/** Returns the files that a page loads beyond the files that the dashboard always loads. */
const extraOf = (name: string) => [...loadedWith(assetOf(name))].filter((file) => !always.has(file));

describe('the JavaScript of the dashboard, packed by gzip', () => {
  it('has at most 130 kB for the wall', () => {
    const size = kilobytes([...always, ...extraOf('wall-page')]);
    expect(size).toBeGreaterThan(50);
    expect(size).toBeLessThan(130);
  });

  // Counts only the canvas's own file, without files that other pages load, too.
  it('has at most 65 kB for the canvas', () => {
    expect(kilobytes([assetOf('canvas-page')])).toBeLessThan(65);
  });

  // Counts all files that only this page loads beyond the dashboard's own; most of it is xterm.
  it('has at most 115 kB for a terminal', () => {
    const size = kilobytes(new Set([...extraOf('terminal-page'), ...extraOf('open-session')]));
    expect(size).toBeGreaterThan(80);
    expect(size).toBeLessThan(115);
  });

  it('has at most 90 kB for the player, in a document of its own', () => {
    const player = readFileSync(join(folder, 'player.html'), 'utf8');
    const size = kilobytes(new Set(scriptsOf(player).flatMap((name) => [...loadedWith(name)])));
    expect(size).toBeGreaterThan(60);
    expect(size).toBeLessThan(90);
  });

  it('has the terminal, the canvas and the player in files that no other page loads', () => {
    const pages = assets.flatMap((file) => /^(\w+-page)-.*\.js$/.exec(file)?.[1] ?? []);
    expect(pages.length).toBeGreaterThan(8);
    for (const heavy of ['open-session', 'canvas-page']) {
      const file = assetOf(heavy);
      expect(always).not.toContain(file);
      const loading = pages.filter((page) => page !== heavy && loadedWith(assetOf(page)).has(file));
      expect(loading, heavy).toEqual([]);
    }
  });

  it('lies packed beside each file that is worth it', () => {
    const read = (file: string) => readFileSync(join(folder, 'assets', file));
    const large = assets.filter((file) => !file.endsWith('.gz') && read(file).length >= 8_192);
    expect(large.length).toBeGreaterThan(10);
    for (const file of large) expect(gunzipSync(read(`${file}.gz`)).equals(read(file)), file).toBe(true);
  });

  it('has at most 15 kB of styles for the wall', () => {
    expect(kilobytes(assets.filter((file) => /^(?:index|wall-page)-.*\.css$/.test(file)))).toBeLessThan(15);
  });
});
