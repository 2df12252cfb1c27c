import { DomainError } from '../contract/errors.js';
import type { Invite, InviteBody, JoinRequest } from '../contract/fleet-machines.js';
import { Admissions } from './admissions.js';
import type { Connected } from './connected.js';
import type { Grants } from './grants.js';
import type { Hub } from './hub.js';
import type { Identity } from './identity.js';
import { Invites } from './invites.js';
import type { FleetMessage } from './link.js';
import type { FleetState, KnownMachine } from './state.js';

export interface HubDeskOptions {
  state: FleetState;
  hub: Pick<Hub, 'reapply'>;
  /** The setting `fleet.url`. */
  url: () => string | undefined;
  grants: Grants;
  identity: () => Identity;
  deviceName: () => string;
  /** Called only once the link exists. */
  connected: () => Pick<Connected, 'link' | 'directory' | 'peerOf' | 'events' | 'look'>;
  onFault: (error: unknown) => void;
}

/** At the hub: which machines are in the fleet. Elsewhere every method throws not-hub, or no-fleet. */
export class HubDesk {
  readonly #options: HubDeskOptions;
  readonly #invites: Invites;
  readonly #admissions: Admissions;

  constructor(options: HubDeskOptions) {
    this.#options = options;
    const { state, hub, url, identity, deviceName, connected, onFault } = options;
    const apply = () => hub.reapply();
    this.#invites = new Invites({
      ...{ state, url, apply, onFault },
      onEnd: () => this.#admissions.look(),
    });
    this.#admissions = new Admissions({
      ...{ identity, state, invites: this.#invites, apply, onFault, deviceName },
      events: () => connected().events,
      onAdmitted: (machine) => {
        connected().directory.changed(machine);
        connected().look();
      },
    });
  }

  /** Follows the invitations that are left from before. */
  start(): void {
    this.#invites.start();
  }

  stop(): void {
    this.#invites.stop();
    this.#admissions.clear();
  }

  /** Takes a message of a guest. */
  onJoin(message: FleetMessage): void {
    this.#admissions.onJoin(message, this.#options.connected().link);
  }

  /** Notes that a machine was heard of, which ends its invitation. */
  onHeard(machineId: string): void {
    void this.#invites.arrived(machineId).catch(this.#options.onFault);
  }

  invite(body: InviteBody): Promise<Invite> {
    this.#needHub();
    return this.#invites.create(body);
  }

  /** Returns the machines that ask to join; none elsewhere than at the hub. Throws no-fleet. */
  requests(): JoinRequest[] {
    const { facts } = this.#options.state;
    if (!facts) throw new DomainError('no-fleet');
    return this.#admissions.list();
  }

  approve(id: string): Promise<KnownMachine> {
    this.#needHub();
    return this.#admissions.approve(id);
  }

  async deny(id: string): Promise<void> {
    this.#needHub();
    await this.#admissions.deny(id);
  }

  /** Removes a machine, which loses its connection at once. Rejects with machine-not-found, fleet-failed. */
  async remove(machineId: string): Promise<void> {
    this.#needHub();
    const { state, hub, grants, connected } = this.#options;
    if (!connected().peerOf(machineId)) throw new DomainError('machine-not-found');
    await state.change((facts) => ({
      ...facts,
      machines: facts.machines.filter((each) => each.machineId !== machineId),
    }));
    await grants.deleteOf(machineId);
    connected().directory.changed({ removed: machineId });
    await hub.reapply();
  }

  #needHub(): void {
    const { facts } = this.#options.state;
    if (facts?.role !== 'hub') throw new DomainError(facts ? 'not-hub' : 'no-fleet');
  }
}
