import type { Logger } from 'pino';
import type { SidecarSettings } from '../src/contract/sidecar.js';
import { type GuardPolicy, isServed } from '../src/gateway/guard.js';
import { Listener } from '../src/gateway/listen.js';
import { systemLocalUsers } from '../src/gateway/local-users/system.js';
import { isLoopbackAddress } from '../src/gateway/loopback.js';
import { callerOf } from './caller.js';
import { CallersToken, mayBeToken } from './callers-token.js';
import { createHttp, MCP_PATH } from './http.js';
import { createServer, type ServerOptions } from './server.js';
import { connectService } from './service.js';
import { Sessions } from './sessions.js';

/** How often idle sessions are dropped. */
const SWEEP_INTERVAL_MS = 10_000;

/** The tool server over HTTP. */
export class Sidecar {
  #settings: SidecarSettings;
  readonly #service = connectService(() => this.#settings);
  readonly #tokens = new CallersToken(() => this.#settings, this.#service);
  readonly #sessions: Sessions;
  readonly #http: ReturnType<typeof createHttp>;
  readonly #listener: Listener;
  readonly #sweep: NodeJS.Timeout;

  private constructor(settings: SidecarSettings, logger: Logger) {
    this.#settings = settings;
    const server: ServerOptions = {
      ...{ tokens: this.#tokens, apiUrl: () => this.#settings.apiUrl, logger },
      callerOf: ({ requestInfo }) => callerOf(requestInfo?.headers ?? {}),
    };
    this.#sessions = new Sessions({
      createServer: () => createServer(server),
      idleMs: () => this.#settings.sessionIdleMs,
    });
    const users = systemLocalUsers((err) =>
      logger.warn({ err }, 'the user of a connection could not be determined'),
    );
    this.#http = createHttp({
      ...{ sessions: this.#sessions, logger },
      policy: () => this.#policy,
      whenEnded: (headers, onEnded) => this.#tokens.whenEnded(headers, onEnded),
      isKnown: async (headers) => !this.#settings.isGuarded || (await this.#tokens.isKnown(headers)),
      users,
      instanceId: () => this.#settings.instanceId ?? null,
    });
    this.#listener = new Listener(this.#http, (socket) => isServed(socket, this.#policy, users));
    this.#sweep = setInterval(() => this.#sessions.dropIdle(performance.now()), SWEEP_INTERVAL_MS);
  }

  /** Starts a tool server that listens. Rejects with PortTakenError. */
  static async start(settings: SidecarSettings, logger: Logger): Promise<Sidecar> {
    const sidecar = new Sidecar(settings, logger);
    try {
      await sidecar.#listener.open(settings);
    } catch (error) {
      await sidecar.stop();
      throw error;
    }
    return sidecar;
  }

  /** URL for clients. */
  get url(): string {
    return `${this.#listener.url}${MCP_PATH}`;
  }

  /** False after a move that failed while another process took the old port: the server is then useless. */
  get isListening(): boolean {
    return this.#listener.isListening;
  }

  /** Applies other settings; sessions stay. Rejects with `port-taken`, and then changes nothing. */
  async change(settings: SidecarSettings): Promise<void> {
    await this.#listener.move(settings);
    const wasGuarded = this.#settings.isGuarded;
    this.#settings = settings;
    // Connections that were opened without a token end once a token is needed.
    if (settings.isGuarded && !wasGuarded) this.#listener.dropAtWork();
    this.#listener.dropUnserved();
  }

  get #policy(): GuardPolicy {
    const { dashboardPort, allowedOrigins, localUsers, token, isGuarded } = this.#settings;
    return {
      pagePorts: [dashboardPort, this.#listener.port],
      allowedOrigins,
      exposed: isExposed(this.#settings),
      localUsers,
      authToken: token,
      // The service is asked for each request whether the token is valid.
      isKnownToken: isGuarded ? mayBeToken : undefined,
    };
  }

  /** Fails the calls in work with an error for their clients, then ends sessions and connections. */
  async stop(): Promise<void> {
    clearInterval(this.#sweep);
    // Frees the port first, since the next tool server may start on it at once.
    this.#listener.stop();
    this.#tokens.close();
    await this.#http.close();
    this.#sessions.close();
  }
}

/** Returns whether other machines can reach the tool server, so that every client must send the token. */
export function isExposed({ host }: SidecarSettings): boolean {
  return host !== 'localhost' && !isLoopbackAddress(host);
}
