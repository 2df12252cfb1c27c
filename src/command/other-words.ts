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
 * Returns the message of an unknown command with the verb that is meant, if the word is one of {@link OTHER_WORDS}: the
 * most similar verb, which Commander suggests, is none that creates for `create`.
 */
export function withVerb(message: string): string {
  const [unknown, word = ''] = /^unknown command '(.*)'/.exec(message) ?? [];
  const verb = Object.hasOwn(OTHER_WORDS, word) ? OTHER_WORDS[word] : undefined;
  return verb === undefined ? message : `${unknown}\n(Did you mean ${verb}?)`;
}
