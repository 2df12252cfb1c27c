import { z } from 'zod';
import { MAX_PORT, MIN_PORT } from './limits.js';

/** A port that a setting may name; 0 is any free port. */
export const Port = z
  .int()
  .refine(
    (port) => port === 0 || (port >= MIN_PORT && port <= MAX_PORT),
    `must be 0 or a port from ${MIN_PORT} to ${MAX_PORT}`,
  );
