import { createServer, type Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../contract/errors.js';
import { type Caller, type Door, type GuardPolicy, refuseHost } from '../guard.js';
import { type Binding, Listener, plainly } from '../listen.js';
import { parseAuthority } from '../loopback.js';
import { orPortTaken } from '../port-owner.js';
import type { App } from '../validation.js';
import { answerPage } from './answer-page.js';
import type { Pages } from './pages.js';
import { refuseVisitor } from './rules.js';
import { Sessions } from './sessions.js';

export interface DashboardOptions {
  /** The files to serve; without them it never listens. */
  pages: Pages | undefined;
  /** Whether the service is exposed, whether each client needs a token, and the token of the service. */
  access: () => Pick<GuardPolicy, 'exposed' | 'authToken'> & { needsToken: boolean };
  instanceId: string;
}

/**
 * The second listener: the pages of the dashboard, and the whole API on the same origin. It hands its connections to the
 * HTTP server of the API, as the unix socket does, so that every bound and the end of the service hold for them, too.
 */
export class Dashboard implements Door {
  readonly sessions: Sessions;
  readonly #options: DashboardOptions;
  readonly #listener: Listener;
  readonly #sockets = new WeakSet<Socket>();
  #app: Pick<App, 'server'> | undefined;

  constructor(options: DashboardOptions) {
    this.#options = options;
    // As in Node's HTTP server: half open, and no delay of small answers.
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      this.#app?.server.emit('connection', socket);
    });
    this.#listener = new Listener(plainly(server), () => this.isListening);
    const { access, instanceId } = options;
    this.sessions = new Sessions({ access, port: () => this.#listener.port, instanceId });
  }

  /** Sets the app that serves the connections; called once, before {@link apply}. */
  serveBy(app: Pick<App, 'server'>): void {
    this.#app = app;
  }

  /** Whether the dashboard was built, so that it can be served. */
  get isBuilt(): boolean {
    return this.#options.pages !== undefined;
  }

  get isListening(): boolean {
    return this.#listener.isListening;
  }

  /** Where it listens, with the real port; undefined while it does not. */
  get binding(): Binding | undefined {
    return this.isListening ? this.#listener.binding : undefined;
  }

  /** Origin for browsers of this machine; undefined while it does not listen. */
  get url(): string | undefined {
    return this.isListening ? this.#listener.url : undefined;
  }

  /**
   * Listens at `binding`, or not at all if undefined. Rejects with `port-taken`, with nothing changed.
   * Connections stay open even once it no longer listens: {@link isServed} says which are still served.
   */
  async apply(binding: Binding | undefined): Promise<void> {
    if (binding === undefined || !this.isBuilt) this.#listener.stop();
    else if (this.isListening) await this.#listener.move(binding);
    else await orPortTaken(this.#listener.open(binding));
  }

  /** Frees the port at once. Its connections end when the API's connections end. */
  stop(): void {
    this.#listener.stop();
  }

  owns(socket: Socket): boolean {
    return this.#sockets.has(socket);
  }

  /** Returns false, once it no longer listens, for the connections that came through it. */
  isServed(socket: Socket): boolean {
    return this.isListening || !this.owns(socket);
  }

  refuse(caller: Caller, policy: GuardPolicy, isUnrouted: boolean): DomainError | undefined {
    // The connection whose request has turned the dashboard off still gets its answer, and nothing more.
    if (!this.isListening) return new DomainError('not-found');
    const hasSession = () => this.sessions.isShownBy(caller.headers);
    return refuseVisitor({ ...caller, isUnrouted, hasSession }, policy);
  }

  /** Returns whether a browser asks the API for its page: it is sent on to the dashboard, whose login takes the token. */
  invites(request: FastifyRequest): boolean {
    return this.#redirectOf(request) !== undefined;
  }

  /** Answers a request that no route takes, with a page or a redirect to the dashboard; undefined if it is for neither. */
  answer(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    const { pages } = this.#options;
    if (pages !== undefined && this.owns(request.raw.socket)) return answerPage(pages, request, reply);
    const url = this.#redirectOf(request);
    return url === undefined ? undefined : reply.redirect(url, 302);
  }

  /** Returns the URL of the dashboard, under the name by which the browser has reached the API; undefined for no redirect. */
  #redirectOf({ method, url, headers, raw }: FastifyRequest): string | undefined {
    const { host, accept } = headers;
    const isPage = method === 'GET' && url.split('?', 1)[0] === '/' && accept?.includes('text/html');
    if (!isPage || !this.isListening || this.owns(raw.socket)) return undefined;
    if (refuseHost(host, this.#options.access().exposed)) return undefined;
    const name = host && parseAuthority(host)?.host;
    return name ? `http://${name}:${this.#listener.port}/` : undefined;
  }
}
