import { closeSync, constants, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { vendoredFile } from '../../vendored.js';
import { environmentOf, type OnExit, type PtySpec, type Started, type Starter } from './starter.js';

interface NativePty {
  fork(
    file: string,
    args: string[],
    env: string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helperPath: string,
    onExit: OnExit,
  ): { fd: number; pid: number; pty: string };
  resize(fd: number, cols: number, rows: number, xPixel: number, yPixel: number): void;
}

/** Makes node-pty keep the user and the group. */
const SAME_USER = -1;

/**
 * Starts programs with node-pty's native fork alone: node-pty's own reader and writer lose output at exit, and keep
 * writing after it (docs/decisions/dependencies.md). Each program costs a thread that waits for its end, and on Linux
 * each fork copies the page tables of all their stacks: from a few hundred terminals on, starting a program is slow.
 */
export class NodePtyFork implements Starter {
  readonly #native: NativePty;
  readonly #helper: string;

  constructor() {
    const { native, folder } = loadNative();
    this.#native = native;
    this.#helper = resolve(folder, 'spawn-helper');
  }

  start(spec: PtySpec, onExit: OnExit): Started {
    const { file, args, cwd, cols, rows } = spec;
    const env = environmentOf(spec);
    const child = this.#native.fork(
      ...([file, args, env, cwd, cols, rows, SAME_USER, SAME_USER, true, this.#helper, onExit] as const),
    );
    try {
      const slave = openSync(child.pty, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
      return { pid: child.pid, master: child.fd, slave };
    } catch (error) {
      closeSync(child.fd);
      process.kill(child.pid, 'SIGKILL');
      throw error;
    }
  }

  resize(master: number, cols: number, rows: number): void {
    this.#native.resize(master, cols, rows, 0, 0);
  }
}

/** Returns the native part and its folder: the published package brings it for usual machines, node-pty for all. */
function loadNative(): { native: NativePty; folder: string } {
  const require = createRequire(import.meta.url);
  const vendored = vendoredFile(`node-pty/prebuilds/${process.platform}-${process.arch}/pty.node`);
  if (vendored) return { native: require(vendored) as NativePty, folder: dirname(vendored) };
  const utils = require.resolve('node-pty/lib/utils');
  const { loadNativeModule } = require(utils) as {
    loadNativeModule(name: string): { dir: string; module: NativePty };
  };
  const { dir, module } = loadNativeModule('pty');
  return { native: module, folder: resolve(dirname(utils), dir) };
}
