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
 * Returns Commander's message about an unknown command. For one of {@link OTHER_WORDS} it suggests the verb of the same
 * meaning; Commander itself suggests verbs that are spelt alike.
 */
export function withVerb(message: string, args: readonly string[]): string {
  const [first = ''] = args.filter((word) => word !== 'help');
  const unknown = `unknown command '${first}'`;
  const isKnown = message.startsWith(unknown) && Object.hasOwn(OTHER_WORDS, first);
  return isKnown ? `${unknown}\n(Did you mean ${OTHER_WORDS[first]}?)` : message;
}
