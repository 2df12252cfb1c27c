import * as sdk from '#dist/client/index.js';
import { runCases } from './run-cases.js';

// Runs the cases in a Node program: takes the ground as JSON, and prints the outcomes as JSON.
const connect = (url: string) => sdk.AutoTerminal.connect({ url, env: {} });
const outcomes = await runCases({ ...sdk, connect }, JSON.parse(process.argv[2] ?? ''));
process.stdout.write(JSON.stringify({ version: process.version, outcomes }));
