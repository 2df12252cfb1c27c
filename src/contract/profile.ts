import { z } from 'zod';

/** The Profile object of the API: a program to run in a terminal, with its arguments and environment. */
export const Profile = z.object({
  id: z.string(),
  name: z.string(),
  /** Absolute path of the program. */
  path: z.string(),
  args: z.array(z.string()),
  /** Merged into the process environment. */
  env: z.record(z.string(), z.string()),
  /** Folder to start in; null leaves it to the service. */
  cwd: z.string().nullable(),
  icon: z.string().nullable(),
  /** Used when a terminal is created without a profile; true for exactly one. */
  is_default: z.boolean(),
  /** false for a detected shell, which nobody can edit. */
  is_custom: z.boolean(),
});
export type Profile = z.infer<typeof Profile>;
