import { describeIssues } from '../../contract/describe-issues.js';
import type { HostFeature } from '../../contract/host-greeting.js';
import { Frame, HostRequest } from '../../contract/host-protocol.js';
import type { Spill } from '../kept.js';
import { HostStarts } from './host-starts.js';
import { HostTyping } from './host-typing.js';
import type { HostedTerminal } from './hosted-terminal.js';
import type { Ledger } from './ledger/ledger.js';
import { takeOver } from './ledger/take-over.js';
import type { Groups } from './limits/groups.js';
import type { Limiter } from './limits/limiter.js';
import type { ForegroundJobs } from './processes/foreground-jobs.js';
import type { Killer } from './processes/killer.js';
import type { Niceness } from './processes/niceness.js';
import type { Ptys } from './pty/pty.js';
import type { Readopted } from './renewal/read-state.js';
import type { NewProgram, Renewal } from './renewal/renewal.js';
import type { KeptHost } from './renewal/write-state.js';
import { TerminalMaker } from './terminal-maker.js';
import type { TmuxServer } from './tmux/tmux-server.js';
import { FieldReader, FramingError, parseJson } from './wire/framing.js';
import { greet } from './wire/greet.js';
import type { Peer } from './wire/peer.js';
import { type Reply, replyCapture } from './wire/reply-capture.js';
import { replySignal } from './wire/reply-signal.js';
import { terminalFrame } from './wire/terminal-frame.js';

export interface HostDeps {
  ptys: Ptys;
  tmux: TmuxServer;
  checkpoints: Spill;
  killer: Killer;
  jobs: ForegroundJobs;
  ledger: Ledger;
  /** Identifies this boot of the system. */
  bootId: string;
  niceness: Niceness;
  groups: Pick<Groups, 'adopt' | 'end' | 'letGo' | 'idle' | 'start' | 'sweep'>;
  limiter: Limiter;
  log(message: string): void;
  startedAt(pid: number): string | null;
  /**
   * Called when the service connects or leaves, or the number of terminals changes. `orphanMs` is set when a connecting
   * service names it.
   */
  changed(state: { service: boolean; terminals: number; orphanMs?: number | undefined }): void;
  /** Replaces the program of this process; or the reason why that is not possible. */
  renewal: Pick<Renewal, 'renew'> | { missing: string };
  /** Called when the service asks the host to end. */
  shutdown(): void;
}

/** Holds all terminals of this host, and applies the frames of its connections to them. */
export class Host {
  readonly #deps: HostDeps;
  readonly #terminals = new Map<number, HostedTerminal>();
  readonly #maker: TerminalMaker;
  readonly #starts: HostStarts;
  readonly #typing: HostTyping;
  #service: Peer | null = null;

  constructor(deps: HostDeps) {
    this.#deps = deps;
    this.#typing = new HostTyping(this.#terminals, deps.niceness);
    this.#maker = new TerminalMaker({ ...deps, kill: (session, done) => deps.killer.kill(session, done) });
    this.#starts = new HostStarts({
      maker: this.#maker,
      find: (id) => this.#byId(id),
      add: (terminal) => {
        this.#terminals.set(terminal.handle, terminal);
        this.#changed();
      },
      close: (terminal) => this.#close(terminal),
      service: () => this.#service,
    });
  }

  /** Ends the processes that killed hosts left behind, and lists their terminals. Must precede the first greeting. */
  takeOver(): void {
    const left = takeOver({ ...this.#deps, maker: this.#maker });
    for (const terminal of left) this.#terminals.set(terminal.handle, terminal);
    this.#deps.groups.start();
    this.#changed();
  }

  /** Takes over the state that this process had before it was renewed. Must be called before any service is greeted. */
  adopt(before: Pick<KeptHost, 'lastHandle' | 'typed'>, terminals: Iterable<Readopted>): void {
    this.#maker.continueAfter(before.lastHandle);
    for (const kept of terminals) {
      const terminal = this.#maker.adopt(kept);
      this.#terminals.set(terminal.handle, terminal);
    }
    this.#typing.typed.adopt(before.typed);
    this.#deps.groups.sweep();
    this.#changed();
  }

  /** Returns all that a renewed host needs, or why it cannot go on with some terminal. */
  keep(): KeptHost | { missing: string } {
    const { niceness, tmux } = this.#deps;
    if (tmux.isRunning) return { missing: 'terminals in tmux cannot be handed over' };
    const terminals: KeptHost['terminals'][number][] = [];
    for (const terminal of this.#terminals.values()) {
      const kept = terminal.keep();
      if (!kept) return { missing: `terminal ${terminal.id} cannot be handed over` };
      terminals.push({ ...kept, nice: niceness.of(kept.session.session) });
    }
    return { lastHandle: this.#maker.lastHandle, typed: this.#typing.typed.keep(), terminals };
  }

  /** Handles a frame of a connection; a thrown error closes the connection. */
  frame(peer: Peer, type: number, handle: number, payload: Buffer): void {
    if (!peer.hello) {
      if (type !== Frame.hello) throw new FramingError('the first frame is not a hello');
      this.#hello(peer, payload);
      return;
    }
    if (type === Frame.request) {
      this.#request(peer, payload);
      return;
    }
    if (type === Frame.type) {
      this.#mustBeService(peer);
      this.#typing.type(peer, handle, payload);
      return;
    }
    if (type === Frame.typeAll) {
      this.#mustBeService(peer);
      this.#typing.typeAll(peer, payload);
      return;
    }
    const terminal = this.#terminals.get(handle);
    if (terminal && type === Frame.forget) {
      if (terminal.exit) this.#close(terminal);
    } else if (terminal) terminalFrame(peer, terminal, type, payload);
    // Other frames for a terminal that has just been closed are late, not wrong.
    else if (type === Frame.attach) peer.detached(handle, new FieldReader(payload).u32());
  }

  closed(peer: Peer): void {
    if (this.#service !== peer) return;
    this.#service = null;
    this.#changed();
  }

  /** Refuses new terminals and closes all others; resolves when their processes are gone. */
  async closeAll(): Promise<void> {
    this.#maker.stop();
    for (const terminal of this.#terminals.values()) this.#close(terminal);
    // This also hands programs that were just being started to the killer.
    await this.#deps.tmux.stop();
    await this.#deps.killer.idle();
    await this.#deps.groups.idle();
  }

  #hello(peer: Peer, payload: Buffer): void {
    const features: HostFeature[] = 'missing' in this.#deps.renewal ? [] : ['renew'];
    const hello = greet(peer, payload, { service: this.#service?.hello ?? null, features });
    if (hello?.role !== 'service') return;
    this.#service = peer;
    this.#changed(hello.orphanMs);
  }

  #request(peer: Peer, payload: Buffer): void {
    const json = parseJson(payload);
    const parsed = HostRequest.safeParse(json);
    if (!parsed.success) {
      const call = HostRequest.options[1].pick({ call: true }).safeParse(json);
      if (!call.success) throw new FramingError('request without a call number');
      const message = describeIssues(parsed.error, 'request');
      peer.json(Frame.reply, 0, { call: call.data.call, error: { code: 'invalid-request', message } });
      return;
    }
    const request = parsed.data;
    const reply = (answer: Reply) => peer.json(Frame.reply, 0, { call: request.call, ...answer });
    if (this.#service !== peer) {
      reply({ error: { code: 'forbidden', message: `only the service may send ${request.op}` } });
      return;
    }
    switch (request.op) {
      case 'spawn':
        this.#starts.start({ peer, deadline: request.deadline, reply }, request.spawn);
        return;
      case 'typed':
        reply({ isRepeated: this.#typing.typed.has(request.handle, request.once) });
        return;
      case 'list':
        for (const terminal of this.#terminals.values()) reply({ part: terminal.describe() });
        reply({ value: null });
        return;
      case 'kill':
        this.#close(this.#terminals.get(request.handle));
        reply({ value: null });
        return;
      case 'capture':
        void replyCapture(this.#terminals.get(request.handle), request.scrollback, reply);
        return;
      case 'readAll':
        void this.#readAll(request.handle, reply);
        return;
      case 'signal':
        void replySignal(this.#terminals.get(request.handle), request, this.#deps.jobs, reply);
        return;
      case 'renew':
        void this.#renew(request, reply);
        return;
      case 'shutdown':
        this.#deps.shutdown();
    }
  }

  async #readAll(handle: number, reply: (answer: Reply) => void): Promise<void> {
    reply({ read: (await this.#terminals.get(handle)?.readAll()) ?? null });
  }

  async #renew(program: NewProgram & { deadline: number }, reply: (answer: Reply) => void): Promise<void> {
    const { renewal } = this.#deps;
    const why = 'missing' in renewal ? renewal.missing : await renewal.renew(program, program.deadline);
    reply({ error: { code: 'unavailable', message: `the pty host stays as it is: ${why}` } });
  }

  #byId(id: string): HostedTerminal | undefined {
    return [...this.#terminals.values()].find((terminal) => terminal.id === id);
  }

  #mustBeService(peer: Peer): void {
    if (this.#service !== peer) throw new FramingError('only the service may type');
  }

  /** Removes a terminal from the list and ends its processes. */
  #close(terminal: HostedTerminal | undefined): void {
    if (!terminal) return;
    this.#terminals.delete(terminal.handle);
    this.#typing.typed.forget(terminal.handle);
    terminal.close();
    this.#changed();
  }

  #changed(orphanMs?: number): void {
    this.#deps.changed({ service: this.#service !== null, terminals: this.#terminals.size, orphanMs });
  }
}
