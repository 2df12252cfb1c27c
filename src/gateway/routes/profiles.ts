import type { CustomProfiles } from '../../actors/custom-profiles.js';
import type { Profiles } from '../../actors/profiles.js';
import {
  Profile,
  ProfileBody,
  ProfileCreated,
  ProfileDeleted,
  ProfileList,
  ProfileUpdated,
} from '../../contract/profile.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

export interface ProfilesPort {
  /** Lists all profiles, and finds one by its id. */
  profiles: Pick<Profiles, 'list' | 'get'>;
  /** Custom profiles, which clients can create, change and delete. */
  custom: Pick<CustomProfiles, 'create' | 'replace' | 'remove'>;
}

/** `/api/profiles`: the profiles with which terminals can be created. */
export function registerProfiles(app: App, { profiles, custom }: ProfilesPort): void {
  const tags = ['Profiles'];

  app.get(
    '/api/profiles',
    {
      config: needs('read', 'whole'),
      schema: {
        summary: 'List the profiles',
        description: 'The shells found on this machine at this moment, then the custom profiles.',
        tags,
        response: { 200: ProfileList },
      },
    },
    async () => ({ profiles: profiles.list() }),
  );

  app.post(
    '/api/profiles',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Create a custom profile',
        description: 'The service chooses the id: `custom-` followed by the time in milliseconds.',
        tags,
        body: ProfileBody,
        response: { 201: ProfileCreated, ...failures('too-many-profiles') },
      },
    },
    async (request, reply) => {
      const id = await custom.create(request.body);
      return reply.code(201).send({ id, status: 'created' });
    },
  );

  app.get(
    '/api/profiles/:id',
    {
      config: needs('read', 'whole'),
      schema: {
        summary: 'Get a profile',
        description: 'Finds the profile by its exact id, not by its name.',
        tags,
        params: IdParams,
        response: { 200: Profile, ...failures('profile-not-found') },
      },
    },
    async (request) => profiles.get(request.params.id),
  );

  app.put(
    '/api/profiles/:id',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Replace a custom profile',
        description:
          'Replaces the whole profile: a field that the body leaves out takes its default. Running ' +
          'terminals are not affected.',
        tags,
        params: IdParams,
        body: ProfileBody,
        response: { 200: ProfileUpdated, ...failures('custom-profile-not-found') },
      },
    },
    async (request) => {
      await custom.replace(request.params.id, request.body);
      return { status: 'updated' as const };
    },
  );

  app.delete(
    '/api/profiles/:id',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Delete a custom profile',
        tags,
        params: IdParams,
        response: { 200: ProfileDeleted, ...failures('custom-profile-not-found') },
      },
    },
    async (request) => {
      await custom.remove(request.params.id);
      return { status: 'deleted' as const };
    },
  );
}
