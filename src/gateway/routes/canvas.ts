import { z } from 'zod';
import type { Canvas } from '../../actors/canvas/canvas.js';
import {
  CanvasGraph,
  Connection,
  ConnectionBody,
  ConnectionPatch,
  TerminalConnections,
} from '../../contract/canvas.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

export type CanvasPort = Pick<Canvas, 'graph' | 'connect' | 'setLabel' | 'disconnect' | 'connectionsOf'>;

/** `/api/canvas`: the terminals as a graph, and the connections between them. */
export function registerCanvas(app: App, canvas: CanvasPort): void {
  const tags = ['Canvas'];

  app.get(
    '/api/canvas/graph',
    {
      config: needs('read', 'whole'),
      schema: {
        summary: 'Get the whole graph',
        description:
          'A node for every running terminal, and every connection, including those of exited terminals.',
        tags,
        response: { 200: CanvasGraph },
      },
    },
    async () => canvas.graph(),
  );

  app.post(
    '/api/canvas/edges',
    {
      config: needs('control', 'whole'),
      schema: {
        summary: 'Connect two terminals',
        description:
          'If they are already connected in this direction, the answer is the existing connection.',
        tags,
        body: ConnectionBody,
        response: {
          200: Connection.describe('The connection already exists; nothing has changed'),
          201: Connection.describe('The connection was made'),
          ...failures('terminal-not-found', 'too-many-connections'),
        },
      },
    },
    async (request, reply) => {
      const { connection, isNew } = await canvas.connect(request.body);
      return reply.code(isNew ? 201 : 200).send(connection);
    },
  );

  app.patch(
    '/api/canvas/edges/:id',
    {
      config: needs('control', 'whole'),
      schema: {
        summary: 'Set or clear the label of a connection',
        description: '`label: null` clears it.',
        tags,
        params: IdParams,
        body: ConnectionPatch,
        response: { 200: Connection, ...failures('connection-not-found') },
      },
    },
    async (request) => canvas.setLabel(request.params.id, request.body.label),
  );

  app.delete(
    '/api/canvas/edges/:id',
    {
      config: needs('control', 'whole'),
      schema: {
        summary: 'Delete a connection',
        tags,
        params: IdParams,
        response: {
          204: z.void().describe('The connection was deleted'),
          ...failures('connection-not-found'),
        },
      },
    },
    async (request, reply) => {
      await canvas.disconnect(request.params.id);
      return reply.code(204).send();
    },
  );

  app.get(
    '/api/terminals/:id/connections',
    {
      config: needs('read', 'whole'),
      schema: {
        summary: 'List the connections of a terminal',
        description: 'Works for an exited terminal, too, while it is kept.',
        tags,
        params: IdParams,
        response: { 200: TerminalConnections, ...failures('terminal-not-found') },
      },
    },
    async (request) => canvas.connectionsOf(request.params.id),
  );
}
