import type { RouteOptions } from 'fastify';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Operations } from '#dist/gateway/openapi/operations.js';

/** Routes that together take far more than one slice to convert. */
const ROUTES = Array.from({ length: 400 }, (_, index): RouteOptions => {
  const fields = Array.from({ length: 40 }, (_, field) => [`field${field}`, z.string().optional()] as const);
  const body = z.object(Object.fromEntries(fields)).describe(`Body ${index}`);
  const schema = { summary: `Route ${index}`, body, response: { 200: z.object({ ok: z.boolean() }) } };
  return { method: 'POST', url: `/api/route-${index}`, schema, handler: async () => ({ ok: true }) };
});

const operationsOf = (routes: readonly RouteOptions[]) => {
  const operations = new Operations();
  for (const route of routes) operations.add(route);
  return operations;
};

test('all are made before the document asks for them, with turns for other work between', async () => {
  const operations = operationsOf(ROUTES);
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await operations.make();
  isDone = true;
  expect(turns).toBeGreaterThan(2);
  const atOnce = operationsOf([]);
  expect(ROUTES.map((route) => operations.of(route))).toEqual(ROUTES.map((route) => atOnce.of(route)));
  expect(operations.components).toEqual(atOnce.components);
});

test('a hidden route has none', () => {
  const route = { ...ROUTES[0]!, schema: { hide: true } };
  expect(operationsOf([route]).of(route)).toBeUndefined();
});
