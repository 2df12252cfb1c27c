import type { FastifyRequest } from 'fastify';
import { DomainError } from '../contract/errors.js';
import { INSTANCE_HEADER } from '../contract/headers.js';
import { asksWhoAnswers } from './guard.js';

/** Creates the `onRequest` hook that refuses requests for another instance before anything is done. */
export function createInstanceCheck(instanceId: string) {
  return async ({ headers, url }: FastifyRequest): Promise<void> => {
    const wanted = headers[INSTANCE_HEADER];
    if (wanted === undefined || wanted === instanceId || asksWhoAnswers(url)) return;
    throw new DomainError('other-instance');
  };
}
