import { z } from 'zod';
import { label } from './strings.js';

/** Who made a connection: a person or program by the API, or an agent by creating a terminal from its own terminal. */
const ConnectionOrigin = z.enum(['user', 'agent']);

/** A directed connection between two terminals. */
export const Connection = z
  .object({
    id: z.string(),
    from: z.string().describe('Terminal id'),
    to: z.string().describe('Terminal id'),
    label: z.string().nullable(),
    origin: ConnectionOrigin,
    createdAt: z.int().describe('Epoch milliseconds'),
  })
  .meta({ id: 'Connection' });
export type Connection = z.infer<typeof Connection>;

/** Place of a box on the canvas, in canvas units (pixels at zoom 1) from the canvas' upper left corner. */
const place = { x: z.number(), y: z.number(), width: z.number(), height: z.number() };

/** The part of a node that the service stores. */
export const NodePlace = z.object({ ...place, groupId: z.string().nullable() });
export type NodePlace = z.infer<typeof NodePlace>;

/** A listed terminal on the canvas. */
export const CanvasNode = z
  .object({ terminalId: z.string(), title: z.string(), ...NodePlace.shape })
  .meta({ id: 'CanvasNode' });
export type CanvasNode = z.infer<typeof CanvasNode>;

/** A named area on the canvas. */
export const CanvasGroup = z
  .object({ id: z.string(), label: z.string(), color: z.string(), ...place })
  .meta({ id: 'CanvasGroup' });
export type CanvasGroup = z.infer<typeof CanvasGroup>;

/** Answer of `GET /api/canvas/graph`. */
export const CanvasGraph = z
  .object({
    nodes: z.array(CanvasNode),
    groups: z.array(CanvasGroup),
    connections: z.array(Connection),
  })
  .meta({ id: 'CanvasGraph' });
export type CanvasGraph = z.infer<typeof CanvasGraph>;

/** Body of `POST /api/canvas/edges`. */
export const ConnectionBody = z
  .object({
    from: z.string(),
    to: z.string(),
    label: label.nullable().default(null),
    origin: ConnectionOrigin.default('user'),
  })
  .refine(({ from, to }) => from !== to, { path: ['to'], message: 'must not be the same terminal as from' })
  .meta({ id: 'ConnectionBody' });
export type ConnectionBody = z.infer<typeof ConnectionBody>;

/** Body of `PATCH /api/canvas/edges/:id`; null clears the label. */
export const ConnectionPatch = z.object({ label: label.nullable() });

/** Answer of `GET /api/terminals/:id/connections`. */
export const TerminalConnections = z.object({
  incoming: z.array(Connection),
  outgoing: z.array(Connection),
});
export type TerminalConnections = z.infer<typeof TerminalConnections>;
