import { z } from 'zod';
import { MAX_CANVAS_COORDINATE, MAX_CANVAS_SIDE, MAX_COLOR_CHARS } from './limits.js';
import { label } from './strings.js';

/** Maker of a connection: a person or program by the API, or an agent by creating a terminal from its own terminal. */
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

const coordinate = z.number().min(-MAX_CANVAS_COORDINATE).max(MAX_CANVAS_COORDINATE);
const side = z.number().positive().max(MAX_CANVAS_SIDE);
/** A place as a client may set it. */
const bounds = { x: coordinate, y: coordinate, width: side, height: side };

/** Body of `PUT /api/canvas/nodes/:terminalId`; fields that are absent stay as they are. */
export const NodePlaceBody = z
  .object({
    ...bounds,
    groupId: z.string().nullable().describe('Id of a group; null takes the node out of its group'),
  })
  .partial();
export type NodePlaceBody = z.infer<typeof NodePlaceBody>;

/** Body of `POST /api/canvas/groups`. */
export const GroupBody = z
  .object({
    label,
    color: z
      .string()
      .max(MAX_COLOR_CHARS)
      .describe('A colour of CSS, such as `#3b82f6`; the service does not interpret it'),
    ...bounds,
  })
  .meta({ id: 'GroupBody' });
export type GroupBody = z.infer<typeof GroupBody>;

/** Body of `PATCH /api/canvas/groups/:id`; fields that are absent stay as they are. */
export const GroupPatch = z.object(GroupBody.shape).partial();
export type GroupPatch = z.infer<typeof GroupPatch>;

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
