import { z } from 'zod';
import { MAX_FLEET_ATTACHED } from '../../contract/limits.js';
import { label } from '../../contract/strings.js';
import { TerminalSize } from '../../contract/terminal.js';

/** Kind of a message of a watched terminal: its first byte. The other bytes are JSON, as WebSocket clients get it. */
export const LIVE = {
  /** An output event with `seq`. */
  output: 1,
  /** The screen, for watchers that asked for one; the output goes on from there, as it does for all others. */
  screen: 2,
  /** The screen, before which output is missing. */
  reset: 3,
  /** A lifecycle event of the terminal. */
  event: 4,
} as const;

/** A client of the watching machine that is attached to the terminal. */
const WishedClient = TerminalSize.extend({
  clientId: z.string().regex(/^client_[0-9a-f]{12}$/),
  readOnly: z.boolean(),
  name: label,
  /** How often it has typed without being the leader, and how often it has taken the lead. */
  typed: z.int().min(0),
  leads: z.int().min(0),
  /** Number of the last time that it has set its size. The first release with a fleet sends no such number. */
  sized: z.int().min(0).optional(),
});
export type WishedClient = z.infer<typeof WishedClient>;

/** Wish of the watching machine, each time in full, so that nothing is lost and nothing happens twice. */
export const LiveWish = z.object({
  /** Screens that were asked for since the stream began. */
  screens: z.int().min(0),
  /** Grows with each change of the clients. */
  version: z.int().min(0),
  clients: z.array(WishedClient).max(MAX_FLEET_ATTACHED),
});
export type LiveWish = z.infer<typeof LiveWish>;

/** Outcome of a client's wish. */
const ToldClient = z.union([
  TerminalSize.extend({
    clientId: z.string(),
    /** Its id at the owner. */
    as: z.string().max(1_000),
    isLeader: z.boolean(),
  }),
  z.object({
    clientId: z.string(),
    code: z.string().max(100),
    error: z.string().max(10_000),
    /** The missing right, if a right is missing. */
    needs: z.string().max(100).optional(),
  }),
]);
export type ToldClient = z.infer<typeof ToldClient>;

/** The owner's reply to the clients of a wish. */
export const LiveTold = z.object({
  version: z.int().min(0),
  clients: z.array(ToldClient).max(MAX_FLEET_ATTACHED),
});
export type LiveTold = z.infer<typeof LiveTold>;
