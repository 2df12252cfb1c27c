import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { type AutoTerminal, NotFoundError, type SystemInfo } from '../../client/index.js';
import { resolvePaths } from '../../config/paths.js';
import { VERSION } from '../../contract/version.js';
import { answered } from '../answered.js';
import type { CommonOptions, Context } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { type Column, type FormatOptions, OUTPUT, printRows } from '../format.js';
import { skewFix } from '../skew.js';
import { verb } from '../verb.js';

/** Result of one check, with advice. */
interface Finding {
  what: string;
  state: 'ok' | 'note' | 'bad';
  found: string;
  fix: string;
}

const COLUMNS: readonly Column<Finding>[] = [
  { title: '', value: ({ state }) => ({ ok: '✓', note: '!', bad: '✗' })[state] },
  { title: 'WHAT', value: ({ what }) => what },
  { title: 'FOUND', value: ({ found }) => found },
  { title: 'WHAT TO DO', value: ({ fix }) => fix },
];

const OLDEST_NODE = [20, 19];
/** Open files that a few hundred terminals need. */
const MANY_FILES = 4_096;
const MANY_PTYS = 1_024;
/** Longer than the answers of a service that is busy. */
const ANSWER_MS = 10_000;

/** `auto-terminal doctor`: checks for faults that keep the service from working. */
export function doctor(context: Context): Command {
  return verb('doctor', 'Look for what keeps the service from its work, and say what to do')
    .addOption(OUTPUT)
    .action(async (options: CommonOptions & FormatOptions) => {
      const findings: Finding[] = [
        nodeVersion(),
        { what: 'command', state: 'ok', found: `version ${VERSION}`, fix: '' },
        ...limits(),
        folders(context.env),
        ...(await service(context, options)),
      ];
      await printRows(context, findings, options, {
        columns: COLUMNS,
        id: ({ what }) => what,
        name: 'findings',
      });
      if (findings.some(({ state }) => state === 'bad')) context.exitCode = EXIT.failed;
    });
}

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldest = 0, least = 0] = OLDEST_NODE;
  const isOld = major < oldest || (major === oldest && minor < least);
  const fix = isOld ? `Install Node ${OLDEST_NODE.join('.')} or later` : '';
  return { what: 'Node', state: isOld ? 'bad' : 'ok', found: process.versions.node, fix };
}

function limits(): Finding[] {
  const files = /^Max open files\s+(\d+)/m.exec(read('/proc/self/limits') ?? '')?.[1];
  const ptys = read('/proc/sys/kernel/pty/max')?.trim();
  const used = read('/proc/sys/kernel/pty/nr')?.trim();
  const findings: Finding[] = [];
  if (files !== undefined) {
    const isFew = Number(files) < MANY_FILES;
    const fix = isFew ? 'Raise it before the service starts: ulimit -n 65536' : '';
    findings.push({ what: 'open files', state: isFew ? 'note' : 'ok', found: files, fix });
  }
  if (ptys !== undefined && used !== undefined) {
    const isFew = Number(ptys) - Number(used) < MANY_PTYS;
    const fix = isFew ? 'Raise it as root: sysctl kernel.pty.max=16384' : '';
    findings.push({ what: 'PTYs', state: isFew ? 'note' : 'ok', found: `${used} of ${ptys} in use`, fix });
  }
  return findings;
}

function folders(env: NodeJS.ProcessEnv): Finding {
  const { dataFolder } = resolvePaths({ env, platform: process.platform, tmpFolder: tmpdir() });
  try {
    accessSync(dataFolder, constants.R_OK | constants.W_OK);
    return { what: 'data folder', state: 'ok', found: dataFolder, fix: '' };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing
      ? missing(dataFolder)
      : {
          what: 'data folder',
          state: 'bad',
          found: `${dataFolder}: no access`,
          fix: 'Make it yours, with mode 0700',
        };
  }
}

/** The first start makes the folder and the missing folders above it, if it may write into the nearest existing folder. */
function missing(folder: string): Finding {
  let above = dirname(folder);
  while (!existsSync(above)) above = dirname(above);
  const what = 'data folder';
  try {
    accessSync(above, constants.W_OK | constants.X_OK);
    return { what, state: 'note', found: `${folder}: not there yet`, fix: 'The first start makes it' };
  } catch {
    const fix = 'Set AUTO_TERMINAL_HOME to a folder in which you can write';
    return { what, state: 'bad', found: `${folder}: cannot be made in ${above}`, fix };
  }
}

async function service(context: Context, options: CommonOptions): Promise<Finding[]> {
  const client = context.client(options);
  try {
    const answers = await answered(context, ANSWER_MS, (signal) =>
      Promise.all([
        client.health({ signal }),
        client.system({ signal }),
        client.tmux({ signal }),
        client.profiles.list({ signal }),
        unknownLimits(client, signal),
      ]),
    );
    if (answers === undefined) return [silent()];
    const [health, system, tmux, profiles, unknown] = answers;
    const skew = skewFix(VERSION, health.version);
    const isFull = health.details?.recordings === 'full';
    return [
      {
        ...{ what: 'service', state: skew === '' ? 'ok' : 'note', found: `runs, version ${health.version}` },
        fix: skew,
      },
      ptyHost(system, health.version),
      {
        ...{ what: 'disk', state: isFull ? 'bad' : 'ok', found: isFull ? 'full' : 'has room' },
        fix: isFull ? 'Free some space: nothing is recorded now' : '',
      },
      { what: 'shells', state: 'ok', found: profiles.map(({ id }) => id).join(', '), fix: '' },
      {
        ...{ what: 'tmux', state: tmux.available ? 'ok' : 'note', found: tmux.tmux_path || 'not found' },
        fix: tmux.available ? '' : 'Only for --backend tmux: install tmux 3.2 or later',
      },
      ...unknown,
    ];
  } catch (error) {
    context.signal.throwIfAborted();
    const { message, fix } = error as Error & { fix?: string };
    return [{ what: 'service', state: 'note', found: message, fix: fix ?? '' }];
  }
}

function silent(): Finding {
  const found = `does not answer within ${ANSWER_MS / 1_000} s`;
  const fix = 'Look at its process: kill -9 ends it, and the next start finds its terminals';
  return { what: 'service', state: 'bad', found, fix };
}

/** Returns a finding if limits are set that cannot be enforced here. */
async function unknownLimits(client: AutoTerminal, signal: AbortSignal): Promise<Finding[]> {
  const { unknown } = await client.terminals.limits({ signal }).catch((error: unknown) => {
    // An earlier release has no limits.
    if (error instanceof NotFoundError) return { unknown: [] };
    throw error;
  });
  if (unknown.length === 0) return [];
  const found = `${unknown.map((key) => `limits.${key}`).join(', ')}: the system does not report it`;
  return [{ what: 'limits', state: 'note', found, fix: 'Nothing is refused by it: set limits.maxTerminals' }];
}

/** `host` is missing from the answer of an earlier release. */
function ptyHost({ ptyHost: host }: Partial<SystemInfo>, service: string): Finding {
  const isOther = host !== undefined && host.version !== service;
  return {
    what: 'pty host',
    state: isOther ? 'note' : 'ok',
    found: `runs, version ${host?.version ?? 'unknown'}`,
    fix: isOther ? 'It serves on; the log of the service says why it was not renewed' : '',
  };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
