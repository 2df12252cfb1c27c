import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import {
  ConflictError,
  DisconnectedError,
  type LeaseOptions,
  NotFoundError,
  type Terminal,
  type TiedLease,
} from '../client/index.js';
import type { Context } from './context.js';
import { CommandError, EXIT, shellCode } from './exit-codes.js';

/** Variable with the id of the lease, for the option --lease of verbs that the command calls. */
const LEASE_VARIABLE = 'AUTO_TERMINAL_LEASE';

/** A lease is renewed this many times within its time to live: two renewals may fail. */
const RENEWALS = 3;

/**
 * Runs a program on this machine while this process holds the lease of a terminal, and ends as the program does. The
 * lease is given back however the program ends, and ends with this process if that is killed. If the lease is lost
 * meanwhile, the program runs on: the service refuses its input under that lease.
 */
export async function holdLease(
  context: Context,
  terminal: Terminal,
  command: readonly string[],
  wish: LeaseOptions & { ttlMs: number },
): Promise<void> {
  const lease = await terminal.leases.hold({ ...wish, signal: context.signal });
  const renewals = new Renewals(context, lease, wish.ttlMs);
  const signals = new PassedSignals();
  try {
    context.exitCode = await codeOf(context, command, lease.leaseId, signals);
  } finally {
    renewals.stop();
    const wasHeld = await givenBack(context, lease);
    if (!wasHeld && context.exitCode === EXIT.ok) context.exitCode = EXIT.conflict;
    signals.stop();
  }
}

/** Keeps a lease for as long as its program runs. */
class Renewals {
  readonly #context: Context;
  readonly #lease: TiedLease;
  readonly #ttlMs: number;
  readonly #timer: NodeJS.Timeout;
  #isStopped = false;

  constructor(context: Context, lease: TiedLease, ttlMs: number) {
    this.#context = context;
    this.#lease = lease;
    this.#ttlMs = ttlMs;
    this.#timer = setInterval(() => void this.#renew(), Math.max(1, ttlMs / RENEWALS));
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#isStopped = true;
  }

  async #renew(): Promise<void> {
    try {
      await this.#lease.renew(this.#ttlMs);
    } catch (error) {
      // A service that is too busy now may answer the next renewal.
      if (this.#isStopped || !isLoss(error)) return;
      clearInterval(this.#timer);
      this.#context.say(
        'auto-terminal: the lease has ended, by a person or by another program; the command goes on',
      );
    }
  }
}

/** Ends the lease; resolves with whether it was held until now. */
async function givenBack(context: Context, lease: TiedLease): Promise<boolean> {
  try {
    // Without the command's signal: an interrupt must not keep the lease from being given back.
    await lease.end();
    return true;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const what = isLoss(error)
      ? 'The lease had ended before the command'
      : `The lease was not given back (${why})`;
    context.say(`auto-terminal: ${what}`);
    return false;
  }
}

function isLoss(error: unknown): boolean {
  return (
    error instanceof ConflictError ||
    error instanceof NotFoundError ||
    // The lease has ended with its connection.
    error instanceof DisconnectedError
  );
}

/** Runs the program with our own input and output; resolves with its exit code, as a shell gives it. */
async function codeOf(
  context: Context,
  [program = '', ...args]: readonly string[],
  leaseId: string,
  signals: PassedSignals,
): Promise<number> {
  const env = { ...context.env, [LEASE_VARIABLE]: leaseId };
  const child = spawn(program, args, { env, stdio: 'inherit' });
  signals.to = child;
  await once(child, 'exit').catch((error: NodeJS.ErrnoException) => {
    const code = error.code === 'ENOENT' ? EXIT.noProgram : EXIT.notExecutable;
    throw new CommandError(code, 'program-not-run', `${program} cannot be run: ${error.message}`);
  });
  return shellCode(child.exitCode, child.signalCode, constants.signals);
}

const PASSED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Passes signals on to a program, and outlives them. */
class PassedSignals {
  to: ChildProcess | undefined;

  constructor() {
    for (const signal of PASSED) process.on(signal, this.#pass);
  }

  stop(): void {
    for (const signal of PASSED) process.off(signal, this.#pass);
  }

  readonly #pass = (signal: NodeJS.Signals) => {
    // The terminal itself signals the program, which must not get the signal twice.
    const isFromTerminal = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT');
    if (!isFromTerminal) this.to?.kill(signal);
  };
}
