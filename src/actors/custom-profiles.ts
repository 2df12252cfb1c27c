import type { z } from 'zod';
import { DomainError } from '../contract/errors.js';
import { MAX_CUSTOM_PROFILES } from '../contract/limits.js';
import { Profile, type ProfileBody } from '../contract/profile.js';
import type { Collection, Store } from '../store/store.js';

/** A custom profile as it is stored: the fields that its creator sets. Bounds are checked when a request comes in. */
const CustomProfile = Profile.pick({ name: true, path: true, args: true, env: true, cwd: true, icon: true });
type CustomProfile = z.infer<typeof CustomProfile>;

/** Profiles that clients have made, kept in the store. */
export class CustomProfiles {
  readonly #stored: Collection<CustomProfile>;
  #lastId = 0;

  constructor(store: Store) {
    this.#stored = store.collection('profiles', { version: 1, schema: CustomProfile });
  }

  /** Returns the custom profiles, oldest first; none is marked as the default here. */
  list(): Profile[] {
    return [...this.#stored.all()].map(([id, profile]) => ({
      id,
      ...profile,
      is_default: false,
      is_custom: true,
    }));
  }

  /** Stores a new profile and resolves with its id. Throws too-many-profiles. */
  async create(body: ProfileBody): Promise<string> {
    if (this.#stored.all().size >= MAX_CUSTOM_PROFILES) throw new DomainError('too-many-profiles');
    const id = this.#newId();
    await this.#stored.put(id, body);
    return id;
  }

  /** Replaces a profile as a whole; resolves once stored. Throws custom-profile-not-found. */
  async replace(id: string, body: ProfileBody): Promise<void> {
    this.#mustHave(id);
    await this.#stored.put(id, body);
  }

  /** Removes a profile; resolves once that is stored. Throws custom-profile-not-found. */
  async remove(id: string): Promise<void> {
    this.#mustHave(id);
    await this.#stored.remove(id);
  }

  #mustHave(id: string): void {
    if (!this.#stored.get(id)) throw new DomainError('custom-profile-not-found');
  }

  /** Returns an id with the current time in milliseconds, raised until it is above the last id and unused. */
  #newId(): string {
    this.#lastId = Math.max(Date.now(), this.#lastId + 1);
    while (this.#stored.get(`custom-${this.#lastId}`)) this.#lastId += 1;
    return `custom-${this.#lastId}`;
  }
}
