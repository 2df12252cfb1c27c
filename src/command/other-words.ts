/** Words for verbs in the API, tmux, screen, docker and kubectl, each with the verb that does it here. */
export const OTHER_WORDS: Readonly<Record<string, string>> = {
  create: 'new',
  spawn: 'new',
  'new-session': 'new',
  execute: 'exec',
  type: 'send',
  write: 'send',
  input: 'send',
  'send-keys': 'keys',
  press: 'keys',
  info: 'show',
  inspect: 'show',
  describe: 'show',
  get: 'show',
  'list-sessions': 'ls',
  sessions: 'ls',
  terminals: 'ls',
  connect: 'attach',
  'attach-session': 'attach',
  output: 'logs',
  tail: 'logs',
  cat: 'logs',
  read: 'logs',
  history: 'commands',
  capture: 'screen',
  'capture-pane': 'screen',
  snapshot: 'screen',
  screenshot: 'screen',
  kill: 'close',
  rm: 'close',
  remove: 'close',
  delete: 'close',
  'kill-session': 'close',
  recordings: 'record',
  replay: 'play',
  grep: 'search',
  find: 'search',
  settings: 'config',
  tokens: 'token',
  machines: 'fleet',
};

/**
 * Returns the message of an unknown command. If the first argument is one of {@link OTHER_WORDS}, the message names its
 * verb in place of the verb with the most similar name, which Commander suggests.
 */
export function withVerb(message: string, [first = '']: readonly string[]): string {
  const unknown = `unknown command '${first}'`;
  const isKnown = message.startsWith(unknown) && Object.hasOwn(OTHER_WORDS, first);
  return isKnown ? `${unknown}\n(Did you mean ${OTHER_WORDS[first]}?)` : message;
}
