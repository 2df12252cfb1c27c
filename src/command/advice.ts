/** Advice on a failure, by its code. It names verbs, where the API's `fix` names routes. */
const ADVICE: Readonly<Record<string, string>> = {
  'terminal-not-found': 'auto-terminal ls --all lists the terminals, with exited ones',
  'command-not-found': 'auto-terminal commands TARGET lists the commands that are kept',
  'profile-not-found': 'auto-terminal profiles lists the profiles',
  'custom-profile-not-found':
    'Only profiles that were added can be deleted; auto-terminal profiles -o json says which were ("is_custom")',
  'too-many-profiles': 'Delete one first: auto-terminal profiles rm ID',
  'watch-not-found': 'auto-terminal watches lists the watches',
  'too-many-watches': 'Delete one first: auto-terminal watches rm ID',
  'prompt-not-found': 'auto-terminal prompts list shows the prompts that are kept',
  'prompt-not-queued': 'auto-terminal prompts list shows what has become of it',
  'too-many-prompts': 'Wait, or cancel some: auto-terminal prompts cancel ID',
  'webhook-not-found': 'auto-terminal webhooks lists the webhooks',
  'too-many-webhooks': 'Delete one first: auto-terminal webhooks rm ID',
  'recording-not-found': 'auto-terminal record ls lists the recordings',
  'recording-not-active': 'auto-terminal record ls --active lists the recordings that go on',
  'already-recorded':
    'Stop its recording first: auto-terminal record ls --active, auto-terminal record stop ID',
  'client-not-found': 'auto-terminal clients lists who is attached',
  'no-foreground-job':
    'Start a command first; auto-terminal close ends the shell itself, and auto-terminal keys TARGET ctrl+c reaches it',
  'spawn-failed': 'Give a folder (--cwd) and a program that exist',
  'not-typed':
    'auto-terminal screen TARGET shows what is in the way; --timeout gives more time, and auto-terminal new another terminal',
  'command-refused': 'auto-terminal screen TARGET shows what the shell says',
  'command-incomplete': 'Close its quotes and brackets',
  'line-editor-busy':
    'auto-terminal screen TARGET shows the half-typed line; auto-terminal keys TARGET ctrl+c drops it',
  locked:
    '--queue SECONDS waits in line; --when-busy force types into the line of a person, but never past a lease',
  'lease-lost':
    'auto-terminal screen TARGET shows the terminal; auto-terminal lease acquire TARGET takes a new lease',
  'agent-waiting': 'auto-terminal screen TARGET shows the question; answer it without --if-agent-idle',
  'agent-busy': 'auto-terminal agents shows what the agent does',
  'no-agent': 'auto-terminal agents lists the terminals with agents',
  'output-gone': 'auto-terminal logs TARGET prints what is kept',
  'invalid-cursor': 'Give the cursor of an earlier answer about the same terminal, or none',
  'tmux-unavailable': 'Install tmux and restart the service, or omit --backend',
  'token-not-settable': 'A new token is made by POST /api/settings/token/rotate',
  'verb-missing': 'auto-terminal token show says what you may do',
  'outside-scope': 'auto-terminal token show says which terminals you may reach',
  'token-not-found': 'auto-terminal token list lists the tokens',
  'too-many-tokens': 'Revoke one first: auto-terminal token revoke ID',
  'token-rate': 'Wait, or ask for a token with a higher --rate: auto-terminal token create',
  'token-limit': 'Close a terminal first: auto-terminal close TARGET',
  unauthorized: 'Give the token: --token-file FILE, or the variable AUTO_TERMINAL_TOKEN',
  'over-limit':
    'auto-terminal limits shows the limits and who waits; --queue SECONDS waits in line, and auto-terminal close makes room',
  'no-fleet': 'auto-terminal fleet init makes it a hub, and auto-terminal fleet join CODE has it join one',
  'invite-refused': 'At the hub, auto-terminal fleet invite makes another',
  'request-not-found': 'auto-terminal fleet requests lists what waits for an answer',
  'machine-not-found': 'auto-terminal fleet machines lists the machines, with their ids',
  'grant-not-found': 'auto-terminal fleet grants lists the grants',
  'machine-unreachable':
    'Try again once it is online; auto-terminal fleet machines says when it was last seen',
  'not-understood': 'Check --url and AUTO_TERMINAL_API_URL, and that both have the same version',
  'outcome-unknown': 'Look at the terminal before you try again: auto-terminal screen TARGET',
  disconnected: 'Look at what has happened before you try again: auto-terminal ls',
};

/** Returns advice on a failure, if there is any. */
export function adviceOn({ code, fix }: { code: string; fix?: string | undefined }): string | undefined {
  return Object.hasOwn(ADVICE, code) ? ADVICE[code] : fix;
}
