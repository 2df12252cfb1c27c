import { createRequire } from 'node:module';

/**
 * The command as npm publishes it and users run it. It starts the service in two thirds of the time that the compiled
 * sources take. With the argument `mcp` it is the tool server alone.
 *
 * Found through package.json, since the benchmarks run this file compiled, from another folder.
 */
export const CLI = createRequire(import.meta.url).resolve('#bundle/cli.js');
