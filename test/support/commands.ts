import type { Command, CommandList, CommandOutput } from '#dist/contract/command.js';
import type { Terminal } from '#dist/contract/terminal.js';
import type { Api } from './http.js';
import { eventually } from './processes.js';

/** A terminal whose shell gets input, and the commands that the service knows of it. */
export class ShellTerminal {
  readonly id: string;
  readonly pid: number;
  /** Replaced after a restart of the service. */
  api: Api;

  private constructor(api: Api, { id, pid }: Terminal) {
    this.api = api;
    this.id = id;
    this.pid = pid;
  }

  static async open(api: Api, body: object = { command: ['bash'] }): Promise<ShellTerminal> {
    const { body: terminal } = await api.post<Terminal>('/api/terminals', body);
    return new ShellTerminal(api, terminal);
  }

  async type(data: string): Promise<void> {
    await this.api.post(`/api/terminals/${this.id}/input`, { data });
  }

  async list(limit = 50): Promise<CommandList> {
    const { body } = await this.api.get<CommandList>(`/api/terminals/${this.id}/commands?limit=${limit}`);
    return body;
  }

  async output({ id }: Pick<Command, 'id'>, query = ''): Promise<CommandOutput> {
    const path = `/api/terminals/${this.id}/commands/${id}/output${query}`;
    return (await this.api.get<CommandOutput>(path)).body;
  }

  /** Resolves with the command of this line once it is listed. */
  async listed(commandLine: string): Promise<Command> {
    return this.#found(`the command ${commandLine}`, (command) => command.commandLine === commandLine);
  }

  /** Types a line, and resolves with its command once it has ended. */
  async run(commandLine: string): Promise<Command> {
    await this.type(`${commandLine}\r`);
    return this.ended(commandLine);
  }

  /** Resolves with the command of this line once it has ended. */
  async ended(commandLine: string): Promise<Command> {
    const isIt = (command: Command) => command.commandLine === commandLine && command.endedAt !== null;
    return this.#found(`the end of ${commandLine}`, isIt);
  }

  async #found(what: string, isIt: (command: Command) => boolean): Promise<Command> {
    let found: Command | undefined;
    await eventually(what, async () => {
      found = (await this.list()).commands.find(isIt);
      return found !== undefined;
    });
    return found!;
  }
}
