import { z } from 'zod';
import { MAX_LABEL_CHARS, MAX_PATH_CHARS, MAX_PROCESS_STRINGS_CHARS } from './limits.js';
import { environment, fitsProcess, label, processString } from './strings.js';

/** The Profile object of the API: a program to run in a terminal, with its arguments and environment. */
export const Profile = z
  .object({
    id: z.string(),
    name: z.string(),
    path: z.string().describe('The program to run; an absolute path for a detected shell'),
    args: z.array(z.string()),
    env: z.record(z.string(), z.string()).describe('Merged into the process environment'),
    cwd: z.string().nullable().describe('Folder to start in; null means the home folder'),
    icon: z.string().nullable(),
    is_default: z
      .boolean()
      .describe(
        'Whether this profile is used for a terminal created without a profile; true for one profile only',
      ),
    is_custom: z.boolean().describe('false for a detected shell, which cannot be changed'),
  })
  .meta({ id: 'Profile' });
export type Profile = z.infer<typeof Profile>;

/**
 * Body of `POST /api/profiles` and `PUT /api/profiles/:id`. The other fields of a Profile (`id`, `is_default`,
 * `is_custom`), which a client may send back, are ignored.
 */
export const ProfileBody = z
  .object({
    name: z.string().min(1).max(MAX_LABEL_CHARS),
    path: processString.min(1).max(MAX_PATH_CHARS).describe('The program to run'),
    args: z.array(processString).default([]),
    env: environment.default({}).describe('Merged into the process environment'),
    cwd: processString.max(MAX_PATH_CHARS).nullable().default(null).describe('Folder to start in'),
    icon: label.nullable().default(null),
  })
  .refine(
    ({ env, args }) => fitsProcess(env, args),
    `env and args together are longer than ${MAX_PROCESS_STRINGS_CHARS} characters`,
  )
  .meta({ id: 'ProfileBody' });
export type ProfileBody = z.infer<typeof ProfileBody>;

/** Answer of `GET /api/profiles`. */
export const ProfileList = z.object({ profiles: z.array(Profile) });

/** Answer of `POST /api/profiles`. */
export const ProfileCreated = z.object({ id: z.string(), status: z.literal('created') });
/** Answer of `PUT /api/profiles/:id`. */
export const ProfileUpdated = z.object({ status: z.literal('updated') });
/** Answer of `DELETE /api/profiles/:id`. */
export const ProfileDeleted = z.object({ status: z.literal('deleted') });
