import type { Command } from 'commander';
import type { Context } from './context.js';

type Load = (context: Context) => Promise<Command>;

/** The verbs by their names, in the order of the help; each is loaded when it is called. */
export const VERBS: Readonly<Record<string, Load>> = {
  new: async (context) => (await import('./verbs/new.js')).create(context),
  run: async (context) => (await import('./verbs/run.js')).run(context),
  exec: async (context) => (await import('./verbs/exec.js')).exec(context),
  send: async (context) => (await import('./verbs/send.js')).send(context),
  keys: async (context) => (await import('./verbs/send.js')).keys(context),
  prompt: async (context) => (await import('./verbs/send.js')).prompt(context),
  lease: async (context) => (await import('./verbs/lease.js')).lease(context),
  prompts: async (context) => (await import('./verbs/prompts.js')).prompts(context),
  wait: async (context) => (await import('./verbs/wait.js')).wait(context),
  batch: async (context) => (await import('./verbs/batch.js')).batch(context),
  ls: async (context) => (await import('./verbs/ls.js')).ls(context),
  show: async (context) => (await import('./verbs/show.js')).show(context),
  ps: async (context) => (await import('./verbs/commands.js')).ps(context),
  agents: async (context) => (await import('./verbs/agents.js')).agents(context),
  top: async (context) => (await import('./verbs/top.js')).top(context),
  attach: async (context) => (await import('./verbs/attach.js')).attach(context),
  clients: async (context) => (await import('./verbs/clients.js')).clients(context),
  detach: async (context) => (await import('./verbs/clients.js')).detach(context),
  logs: async (context) => (await import('./verbs/logs.js')).logs(context),
  commands: async (context) => (await import('./verbs/commands.js')).commands(context),
  screen: async (context) => (await import('./verbs/screen.js')).screen(context),
  resize: async (context) => (await import('./verbs/close.js')).resize(context),
  rename: async (context) => (await import('./verbs/close.js')).rename(context),
  label: async (context) => (await import('./verbs/close.js')).label(context),
  signal: async (context) => (await import('./verbs/signal.js')).signal(context),
  close: async (context) => (await import('./verbs/close.js')).close(context),
  record: async (context) => (await import('./verbs/record.js')).record(context),
  play: async (context) => (await import('./verbs/play.js')).play(context),
  export: async (context) => (await import('./verbs/export.js')).exportRecording(context),
  search: async (context) => (await import('./verbs/search.js')).search(context),
  events: async (context) => (await import('./verbs/events.js')).events(context),
  watches: async (context) => (await import('./verbs/watches.js')).watches(context),
  webhooks: async (context) => (await import('./verbs/webhooks.js')).webhooks(context),
  audit: async (context) => (await import('./verbs/audit.js')).audit(context),
  token: async (context) => (await import('./verbs/token.js')).token(context),
  fleet: async (context) => (await import('./verbs/fleet.js')).fleet(context),
  layout: async (context) => (await import('./verbs/layout.js')).layout(context),
  profiles: async (context) => (await import('./verbs/profiles.js')).profiles(context),
  config: async (context) => (await import('./verbs/config.js')).config(context),
  limits: async (context) => (await import('./verbs/limits.js')).limits(context),
  doctor: async (context) => (await import('./verbs/doctor.js')).doctor(context),
  stop: async (context) => (await import('./verbs/stop.js')).stop(context),
  restart: async (context) => (await import('./verbs/stop.js')).restart(context),
  service: async (context) => (await import('./verbs/service.js')).service(context),
  status: async (context) => (await import('./verbs/status.js')).status(context),
};

/** Other names of verbs. */
export const ALIASES: Readonly<Record<string, string>> = { list: 'ls' };
