import { describeIssues } from '../../contract/describe-issues.js';
import {
  AnyHello,
  Frame,
  Hello,
  HOST_PROTOCOL_VERSION,
  HostRequest,
  type Refused,
} from '../../contract/host-protocol.js';
import type { Spill } from '../kept.js';
import { HostStarts } from './host-starts.js';
import { HostTyping } from './host-typing.js';
import type { HostedTerminal } from './hosted-terminal.js';
import type { Ledger } from './ledger/ledger.js';
import { takeOver } from './ledger/take-over.js';
import type { ForegroundJobs } from './processes/foreground-jobs.js';
import type { Killer } from './processes/killer.js';
import type { Niceness } from './processes/niceness.js';
import type { OpenPty } from './pty/pty-port.js';
import { TerminalMaker } from './terminal-maker.js';
import type { TmuxServer } from './tmux/tmux-server.js';
import { FieldReader, FramingError, parseJson } from './wire/framing.js';
import type { Peer } from './wire/peer.js';
import { type Reply, replyCapture } from './wire/reply-capture.js';
import { replySignal } from './wire/reply-signal.js';
import { terminalFrame } from './wire/terminal-frame.js';

export interface HostDeps {
  openPty: OpenPty;
  tmux: TmuxServer;
  checkpoints: Spill;
  killer: Killer;
  jobs: ForegroundJobs;
  ledger: Ledger;
  /** Identifies this boot of the system. */
  bootId: string;
  niceness: Niceness;
  log(message: string): void;
  startedAt(pid: number): string | null;
  /**
   * Called when the service connects or leaves, or the number of terminals changes. `orphanMs` is set when a connecting
   * service names it.
   */
  changed(state: { service: boolean; terminals: number; orphanMs?: number | undefined }): void;
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

  /** Ends and lists what killed hosts left behind. Must be called before any service is greeted. */
  takeOver(): void {
    const left = takeOver({ ...this.#deps, maker: this.#maker });
    for (const terminal of left) this.#terminals.set(terminal.handle, terminal);
    this.#changed();
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
  }

  #hello(peer: Peer, payload: Buffer): void {
    const json = parseJson(payload);
    const any = AnyHello.safeParse(json);
    const hello = Hello.safeParse(json);
    if (any.success && any.data.protocol !== HOST_PROTOCOL_VERSION)
      this.#refuse(peer, { reason: 'protocol' });
    else if (!hello.success) this.#refuse(peer, { reason: 'invalid' });
    else if (hello.data.role === 'service' && this.#service) {
      this.#refuse(peer, { reason: 'busy', instanceId: this.#service.hello?.instanceId ?? '' });
    } else {
      peer.hello = hello.data;
      peer.json(Frame.welcome, 0, { protocol: HOST_PROTOCOL_VERSION, pid: process.pid });
      if (hello.data.role !== 'service') return;
      this.#service = peer;
      this.#changed(hello.data.orphanMs);
    }
  }

  #refuse(
    peer: Peer,
    why: { reason: 'busy'; instanceId: string } | { reason: 'protocol' | 'invalid' },
  ): void {
    peer.json(Frame.refused, 0, { ...why, protocol: HOST_PROTOCOL_VERSION } satisfies Refused);
    peer.end();
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
        reply({ isRepeated: this.#typing.isTyped(request.handle, request.once) });
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
      case 'shutdown':
        this.#deps.shutdown();
    }
  }

  async #readAll(handle: number, reply: (answer: Reply) => void): Promise<void> {
    reply({ read: (await this.#terminals.get(handle)?.readAll()) ?? null });
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
    this.#typing.forget(terminal.handle);
    terminal.close();
    this.#changed();
  }

  #changed(orphanMs?: number): void {
    this.#deps.changed({ service: this.#service !== null, terminals: this.#terminals.size, orphanMs });
  }
}
