import { APP_NAME } from '../src/contract/version.js';

/** A call that cannot be answered; the message is what the model reads, and says what to do. */
export class ToolError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ToolError';
  }
}

/** The API has refused. */
export class RestRefusal extends Error {
  readonly status: number;
  /** The whole body. */
  readonly body: Record<string, unknown>;

  constructor(status: number, message: string, body: Record<string, unknown>) {
    super(message);
    this.name = 'RestRefusal';
    this.status = status;
    this.body = body;
  }
}

/** No answer came: nobody listens, or the connection broke off. */
export class ServiceUnreachable extends Error {
  readonly apiUrl: string;
  /** The request may have been taken: the connection stood when it was sent. */
  readonly wasSent: boolean;

  constructor(apiUrl: string, wasSent: boolean, cause: unknown) {
    super(`${apiUrl} does not answer`, { cause });
    this.name = 'ServiceUnreachable';
    this.apiUrl = apiUrl;
    this.wasSent = wasSent;
  }
}

const LIST = 'list_terminals shows those that run.';

/** What to do about a refusal, by the beginning of its message. */
const ADVICE: Readonly<Record<string, string>> = {
  'Terminal not found': LIST,
  'Pane not found':
    'get_terminal_detail tells the tabId of a terminal; without paneId it gets a place of its own.',
  'Unknown CLI type': 'Leave cliType out, or use one that the schema lists.',
  'Invalid cursor':
    'Take the cursor of an earlier answer of get_terminal_output for the same terminal, or leave `since` out.',
  'Input buffer full':
    'It is longer than 1 MiB, or the program in the terminal does not read its input: look at it with get_terminal_screen.',
  'Not typed':
    'Something else runs there, as get_terminal_screen shows. Try later, with a longer timeoutMs, or in another terminal; to answer or to interrupt what runs, leave wait out and set useBracketedPaste to false ("\\u0003" is Ctrl+C).',
  'The shell did not run the command': 'What it says tells why; mend the command and repeat it.',
  'cwd is not a folder': 'Give the full path of a folder that exists, or leave cwd out.',
  'shell ': 'The profile is at fault; leave profile out for the default shell.',
  'Host is not':
    'Set AUTO_TERMINAL_API_URL to an address of the machine that it runs on, as http://127.0.0.1:42031.',
  'Internal error': 'The log of the service says why.',
  'peering not installed':
    'Only this machine can be reached: leave machineId and targetOS out, or use machineId "self".',
  'no match': 'No online machine has this system; list_machines shows all.',
  'ambiguous target':
    'Several machines have this system; name one by machineId, as list_machines shows them.',
  'The command is not complete':
    'Close its quotes and brackets, or send it without `wait` to answer the shell yourself.',
  'Service is shutting down': 'Try again once it has been started anew; its terminals are closed with it.',
  'Temporarily unavailable': 'Try again in a second.',
  unauthorized: `The tool server has no valid token for the API: start it with AUTO_TERMINAL_TOKEN set to the setting network.authToken.`,
  'Another instance': `The ${APP_NAME} that this tool server belongs to is gone. Start the tool server anew to use the one that runs now.`,
};

/** A refusal as its model reads it: the message, and what to do about it where that is known. */
export function advised(message: string): string {
  const advice = Object.entries(ADVICE).find(([beginning]) => message.startsWith(beginning))?.[1];
  return [`${message}.`, advice].filter(Boolean).join(' ');
}

/** The text of a failed call for its model: what is wrong and what to do. Never a stack. Undefined where it is ours. */
export function explain(error: unknown): string | undefined {
  if (error instanceof ToolError) return error.message;
  if (error instanceof ServiceUnreachable) {
    return error.wasSent
      ? `The connection to ${APP_NAME} at ${error.apiUrl} broke off: it was stopped or restarted. Whether the call took effect is not known; look with list_terminals before you repeat it.`
      : `${APP_NAME} does not answer at ${error.apiUrl}. Start it there (npm start), or set AUTO_TERMINAL_API_URL; then repeat the call.`;
  }
  return error instanceof RestRefusal ? advised(error.message) : undefined;
}
