import { z } from 'zod';
import type { Canvas } from '../../actors/canvas/canvas.js';
import { CanvasGroup, CanvasNode, GroupBody, GroupPatch, NodePlaceBody } from '../../contract/canvas.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

const NodeParams = z.object({ terminalId: z.string() });

export type CanvasPlacesPort = Pick<Canvas, 'place' | 'addGroup' | 'changeGroup' | 'removeGroup'>;

/** `/api/canvas/nodes` and `/api/canvas/groups`: where terminals are on the canvas, and the named areas around them. */
export function registerCanvasPlaces(app: App, canvas: CanvasPlacesPort): void {
  const tags = ['Canvas'];

  app.put(
    '/api/canvas/nodes/:terminalId',
    {
      config: needs('control', 'whole'),
      schema: {
        summary: 'Move, resize or group a node',
        description:
          'Fields that are absent stay as they are; `groupId: null` takes the node out of its group. Only running ' +
          'terminals have a node. The place is kept until the terminal exits.',
        tags,
        params: NodeParams,
        body: NodePlaceBody,
        response: { 200: CanvasNode, ...failures('terminal-not-found', 'group-not-found') },
      },
    },
    async (request) => canvas.place(request.params.terminalId, request.body),
  );

  app.post(
    '/api/canvas/groups',
    {
      config: needs('control', 'whole'),
      schema: {
        summary: 'Create a group',
        description: 'A named area. Nodes belong to it by their `groupId`, wherever they are.',
        tags,
        body: GroupBody,
        response: { 201: CanvasGroup, ...failures('too-many-groups') },
      },
    },
    async (request, reply) => reply.code(201).send(await canvas.addGroup(request.body)),
  );

  app.patch(
    '/api/canvas/groups/:id',
    {
      config: needs('control', 'whole'),
      schema: {
        summary: 'Change a group',
        description: 'Fields that are absent stay as they are.',
        tags,
        params: IdParams,
        body: GroupPatch,
        response: { 200: CanvasGroup, ...failures('group-not-found') },
      },
    },
    async (request) => canvas.changeGroup(request.params.id, request.body),
  );

  app.delete(
    '/api/canvas/groups/:id',
    {
      config: needs('control', 'whole'),
      schema: {
        summary: 'Delete a group',
        description: 'Its nodes stay where they are, in no group.',
        tags,
        params: IdParams,
        response: { 204: z.void().describe('The group was deleted'), ...failures('group-not-found') },
      },
    },
    async (request, reply) => {
      await canvas.removeGroup(request.params.id);
      return reply.code(204).send();
    },
  );
}
