#!/usr/bin/env node
// Runs the service, the tool server alone, or a verb of the command line. Each parses its own arguments.

/** Bundle of `command/main.ts`: few files, which load faster. rolldown.config.js makes it from the compiled files. */
const COMMAND = './command-bundle/main.js';

const [, , first, second = ''] = process.argv;
if (first === 'help' && /^(serve|mcp)$/.test(second)) process.argv.splice(2, 2, second, '--help');
const [, , verb] = process.argv;

if (verb === 'mcp' || verb === 'serve') {
  // Removes the verb, so that service and tool server read only their own arguments.
  process.argv.splice(2, 1);
  await (verb === 'mcp' ? import('../mcp/main.js') : import('./main.js'));
} else if (verb === undefined || (verb.startsWith('-') && !/^(-h|--help|-V|--version)$/.test(verb))) {
  await import('./main.js');
} else {
  await import(COMMAND);
}
