import { DomainError } from '../contract/errors.js';
import { FLEET_ACCEPT_MS } from '../contract/limits.js';
import { bodyOfError } from './answers.js';
import type { Directory } from './directory.js';
import type { Identity } from './identity.js';
import type { FleetLink, FleetMessage } from './link.js';
import { seal } from './signed.js';
import type { FleetFacts, FleetState } from './state.js';
import type { Statements } from './statements.js';
import * as subjects from './subjects.js';

export interface HubRequestsOptions {
  state: FleetState;
  identity: () => Identity;
  directory: Directory;
  epoch: string;
  /** Called at the hub: a machine leaves. */
  onLeft: (machineId: string) => void;
}

/** Requests of machines to the hub itself: for the directory, and to leave. */
export class HubRequests {
  readonly #options: HubRequestsOptions;

  constructor(options: HubRequestsOptions) {
    this.#options = options;
  }

  /** Answers a request; an operation that this release does not know, as of a later release, gets an answer, too. */
  async onRequest(
    { from, what, data, replyTo }: FleetMessage,
    link: FleetLink,
    statements: Statements,
  ): Promise<void> {
    if (replyTo === undefined) return;
    const { facts } = this.#options.state;
    if (facts?.role === 'hub' && what === 'directory') {
      const reply = this.#options.directory.whole(from, data);
      if (reply) link.publish(replyTo, [reply]);
    } else if (facts?.role === 'hub' && what === 'leave') {
      if (!isFarewell(facts, from, data, statements)) return;
      link.publish(replyTo, [new Uint8Array()]);
      this.#options.onLeft(from);
    } else {
      link.publish(replyTo, [this.#unknown(what)]);
    }
  }

  /** Notifies the hub that this machine leaves; at the hub, notifies all machines within reach that the fleet ends. */
  async sayGoodbye(link: FleetLink | undefined, statements: Statements | undefined): Promise<void> {
    const { state, identity, directory } = this.#options;
    if (state.facts?.role === 'hub' && link?.state === 'connected') await directory.end();
    const said = state.facts?.role === 'member' ? statements?.toHub('leave', {}) : undefined;
    if (!state.facts || !said) return;
    const subject = subjects.request(state.facts.hub.machineId, identity().machineId, 'leave');
    await link?.request(subject, said, FLEET_ACCEPT_MS);
  }

  #unknown(what: string): Uint8Array {
    const { epoch, identity } = this.#options;
    const error = new DomainError('fleet-protocol', `This machine does not know the operation ${what}`);
    const facts = { taken: false, id: '', why: 'refused', epoch, status: error.status };
    return seal(identity(), 'taken', { ...facts, body: bodyOfError(error) });
  }
}

function isFarewell(
  { machines }: FleetFacts,
  from: string,
  data: Uint8Array,
  statements: Statements,
): boolean {
  const machine = machines.find(({ machineId }) => machineId === from);
  return machine !== undefined && statements.fromMachine(machine.publicKey, 'leave', data) !== undefined;
}
