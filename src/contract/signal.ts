import { z } from 'zod';

/** Signals that a client may send: they end, stop, resume or notify a program. */
const SIGNALS = [
  ...['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGABRT', 'SIGKILL', 'SIGTERM', 'SIGPIPE', 'SIGALRM'],
  ...['SIGSTOP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU', 'SIGCONT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH'],
] as readonly NodeJS.Signals[];

/** The same names for messages, without SIG. */
export const SIGNAL_NAMES = SIGNALS.map((signal) => signal.slice(3)).join(', ');

/** Returns the signal of a name with or without SIG, in any case; undefined for any other text. */
export function signalNamed(name: string): NodeJS.Signals | undefined {
  const upper = name.toUpperCase();
  return SIGNALS.find((signal) => signal === upper || signal === `SIG${upper}`);
}

/** Body of `POST /api/terminals/:id/signal`. */
export const SignalBody = z.object({
  signal: z.string().describe(`Name of the signal, with or without SIG, in any case: ${SIGNAL_NAMES}`),
});

/** Signal that the pty host is asked to send to the job in the foreground of a terminal. */
export const SignalRequest = z.object({
  signal: z.enum(SIGNALS),
  /** Whether nothing is sent if the terminal's own program is in the foreground. */
  sparesProgram: z.boolean(),
});
export type SignalRequest = z.infer<typeof SignalRequest>;

/** Answer of `POST /api/terminals/:id/signal`. */
export const SignalSent = z.object({
  status: z.literal('ok'),
  signal: z.string().describe('Name of the signal, with SIG'),
});
export type SignalSent = z.infer<typeof SignalSent>;
