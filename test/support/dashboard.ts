import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type AppInProcess, startAppInProcess } from './app.js';
import { type Api, createApi, type RawRequest } from './http.js';

export const SCRIPT = 'export const answer = 42;\n';
export const SCRIPT_PATH = '/assets/index-Ab12_Cd3.js';
/** A file that exists only in compressed form. */
export const PACKED_PATH = '/assets/draw-Ab12_Cd3.js';

/** Writes a dashboard as Vite builds it, beside a file that does not belong to it. */
async function writePages(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const parent = await mkdtemp(join(tmpdir(), 'at-pages-'));
  const folder = join(parent, 'dashboard');
  await mkdir(join(folder, 'assets'), { recursive: true });
  await writeFile(join(parent, 'secret.txt'), 'secret');
  const files: Record<string, string | Buffer> = {
    'index.html': '<!doctype html><title>index</title>',
    'player.html': '<!doctype html><title>player</title>',
    'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    [SCRIPT_PATH]: SCRIPT,
    [`${SCRIPT_PATH}.gz`]: gzipSync(SCRIPT),
    [`${SCRIPT_PATH}.br`]: brotliCompressSync(SCRIPT),
    'assets/style-12345678.css': 'body {}',
    // As in the published package.
    [`${PACKED_PATH}.gz`]: gzipSync(SCRIPT),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return { folder, remove: () => rm(parent, { recursive: true }) };
}

export interface WithDashboard extends AppInProcess {
  /** Current origin of the dashboard. */
  readonly url: string;
  /** One request to the dashboard. */
  raw: Api['raw'];
  /** One request to the API's own listener. */
  api: Api;
}

/** Starts a service in this process with pages of its own. */
export async function startWithDashboard(settings: object = {}): Promise<WithDashboard> {
  const pages = await writePages();
  const started = await startAppInProcess(settings, { dashboardFolder: pages.folder });
  const { app } = started;
  return {
    ...started,
    get url() {
      return app.dashboardUrl!;
    },
    raw: (request: RawRequest) => createApi(app.dashboardUrl!, { unchecked: true }).raw(request),
    api: createApi(app.url, { unchecked: true }),
    stop: async () => {
      await started.stop();
      await pages.remove();
    },
  };
}

export const JSON_TYPE = { 'content-type': 'application/json' };

/** Headers of a browser that opens a page by a link or by its address. */
export const navigation = (site: string) => ({
  accept: 'text/html,application/xhtml+xml',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-site': site,
});
