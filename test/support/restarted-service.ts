import { type Api, createApi } from './http.js';
import { type Service, startService } from './service.js';

/** A service that is killed now and then: its clients then repeat their requests with their keys. */
export class RestartedService {
  #service: Promise<Service>;
  #restarts = 0;
  readonly home: string;

  private constructor(service: Service) {
    this.#service = Promise.resolve(service);
    this.home = service.home;
  }

  static async start(): Promise<RestartedService> {
    return new RestartedService(await startService());
  }

  get restarts(): number {
    return this.#restarts;
  }

  /** Kills the service and starts another on the same state. */
  restart(): Promise<unknown> {
    this.#restarts++;
    this.#service = this.#service.then(async (service) => {
      await service.kill('SIGKILL');
      return startService({ home: this.home });
    });
    return this.#service;
  }

  /** Sends one request with its own key, and repeats it to the next service if this service dies meanwhile. */
  async post<Body>(key: string, path: string, body: object): Promise<Body> {
    const headers = { 'idempotency-key': key };
    const answer = await this.#through((url) => createApi(url, { headers }).post<Body>(path, body));
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Does work that a restart may interrupt; repeats it only if it failed. */
  once<Result>(work: (api: Api) => Promise<Result>): Promise<Result> {
    return this.#through((url) => work(createApi(url)));
  }

  async stop(): Promise<void> {
    await (await this.#service).stop();
  }

  async #through<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
    for (;;) {
      const asked = this.#service;
      try {
        return await work((await asked).url);
      } catch (error) {
        // The service still runs, so the fault does not come from a restart.
        if (asked === this.#service) throw error;
      }
    }
  }
}
