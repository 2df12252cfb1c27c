import {
  ApiError,
  type Blame,
  ClosedError,
  DisconnectedError,
  inTheWay,
  NoServiceError,
  NotUnderstoodError,
} from '../src/client/index.js';
import { APP_NAME } from '../src/contract/version.js';

/** A tool call that fails. The model reads the message, which says what to do. */
export class ToolError extends Error {
  /** Code of the failure, where the API gave one. */
  readonly code: string | undefined;

  constructor(message: string, { code, ...options }: ErrorOptions & { code?: string | undefined } = {}) {
    super(message, options);
    this.name = 'ToolError';
    this.code = code;
  }
}

const STOPPED =
  'The tool server has been stopped. It is unknown whether the call took effect; once the tool server ' +
  'runs again, check with list_terminals before you repeat it.';

const LIST = 'list_terminals shows the running terminals.';

const NOT_TYPED =
  'Another program runs there; get_terminal_screen shows it. Try later, with a longer timeoutMs, or in another terminal. To answer or interrupt that program, omit wait and set useBracketedPaste to false ("\\u0003" is Ctrl+C).';

/** Advice about a failure, by its code. It names tools, where the API's `fix` names routes. */
const ADVICE: Readonly<Record<string, string>> = {
  'terminal-not-found': LIST,
  'pane-not-found':
    'get_terminal_detail gives the tabId of a terminal; without paneId, the new terminal gets a pane of ' +
    'its own.',
  'unknown-cli-type': 'Omit cliType, or use a value that the schema lists.',
  'invalid-cursor':
    'Send a cursor from an earlier answer of get_terminal_output for the same terminal, or omit `since`.',
  'input-buffer-full':
    'The input is longer than 1 MiB, or the program in the terminal does not read its input: check it ' +
    'with get_terminal_screen.',
  'not-typed-yet': NOT_TYPED,
  'not-typed': NOT_TYPED,
  'run-cancelled': 'Somebody cancelled it before it was typed: ask before you run it again.',
  locked:
    'whenBusy "queue" waits in line for queueMs. whenBusy "force" types into the line of a person, which they may be ' +
    'about to submit, and never past the lease of another program.',
  'lease-lost':
    'Look at the screen with get_terminal_screen before you type again, without `lease` or with a new one.',
  'agent-waiting':
    'get_terminal_screen shows its question; answer it without ifAgent, with useBracketedPaste false for a single key.',
  'agent-busy': 'get_terminal_screen shows what it does. Try again once it is idle.',
  'no-agent': 'get_terminal_screen shows what runs there; omit ifAgent to type all the same.',
  'command-refused': 'Its output gives the reason; correct the command and run it again.',
  'spawn-failed':
    'A cwd must be the full path of an existing folder: correct it, or omit cwd. If the shell of the ' +
    'profile cannot be started, omit profile to use the default shell.',
  'host-not-allowed':
    'Set AUTO_TERMINAL_API_URL to an address of the machine on which the service runs, such as ' +
    'http://127.0.0.1:42031.',
  'over-limit':
    'Use a terminal that exists (list_terminals), close_terminal what you no longer need, or call create_terminal with ' +
    'queueMs to wait in line.',
  internal: 'The log of the service gives the cause.',
  'peering-not-installed':
    'Only this machine can be reached: omit machineId and targetOS, or use machineId "self".',
  'no-match': 'No online machine has this system; list_machines shows all machines.',
  'ambiguous-target':
    'Several machines have this system; choose one of them by its machineId, which list_machines shows.',
  'command-incomplete':
    'Close its quotes and brackets, or send it without `wait` to answer the shell yourself.',
  'shutting-down': 'Try again once the service has started again; its terminals are closed with it.',
  unavailable: 'Try again in a second.',
  unauthorized:
    'The tool server has no valid token for the API: start it with AUTO_TERMINAL_TOKEN set to the setting network.authToken.',
  'verb-missing': 'Your token does not allow this call; do without it, or ask whoever gave you the token.',
  'outside-scope': 'Your token is for some terminals only; list_terminals shows them.',
  'token-rate': 'Your token has sent too many requests: wait, and make fewer calls.',
  'token-limit': 'Close terminals that you no longer need with close_terminal.',
  'other-instance': `The instance of ${APP_NAME} that this tool server belongs to is gone. Restart the tool server to use the instance that runs now.`,
};

/** A failure, as an answer reports it. */
interface Failure {
  error: string;
  code?: string | undefined;
  /** Writer or draft that blocks the caller, as the input gate reports it. */
  blame?: Blame;
}

/** Returns a failure's text for the model: the message, the writer that blocks the call, and advice where there is any. */
export function advised({ error, code, blame = {} }: Failure): string {
  const advice = code === undefined || !Object.hasOwn(ADVICE, code) ? undefined : ADVICE[code];
  const way = code === 'locked' || code === 'lease-lost' ? inTheWay(blame) : undefined;
  return [`${error}.`, way && `${way}.`, advice].filter(Boolean).join(' ');
}

/**
 * Returns a failed call's text for the model: the fault and advice, no stack. Undefined for a fault of the tool server
 * itself.
 *
 * @param apiUrl - where the service should be
 */
export function explain(error: unknown, apiUrl: string): string | undefined {
  if (error instanceof ToolError) return error.message;
  if (error instanceof ClosedError) return STOPPED;
  if (error instanceof NoServiceError) {
    return `${APP_NAME} does not answer at ${apiUrl}. Start it there (npm start), or set AUTO_TERMINAL_API_URL; then repeat the call.`;
  }
  if (error instanceof DisconnectedError) {
    return `The connection to ${APP_NAME} at ${apiUrl} was lost: the service was stopped or restarted. It is unknown whether the call took effect; check with list_terminals before you repeat it.`;
  }
  if (error instanceof NotUnderstoodError || (error instanceof ApiError && !isOfService(error))) {
    return `The program that answers at ${apiUrl} is not ${APP_NAME} of this version. Set AUTO_TERMINAL_API_URL to the address of ${APP_NAME}.`;
  }
  if (!(error instanceof ApiError)) return undefined;
  const { message, code, details } = error;
  return [advised({ error: message, code, blame: details }), ...whenToRetry(error)].join(' ');
}

/** Returns the time of the next try, where the service gives it. */
function whenToRetry({ code, details: { retryAfterMs } }: ApiError): string[] {
  if (typeof retryAfterMs !== 'number' || code === 'locked') return [];
  return [`Or try again in ${Math.ceil(retryAfterMs / 1_000)} s.`];
}

/** Returns whether a refusal has the body that the service gives to each of its refusals. */
function isOfService({ details }: ApiError): boolean {
  return typeof details.error === 'string';
}
