#!/usr/bin/env node
// The command: the service, or the tool server alone. Each reads its own arguments.
const [command] = process.argv.slice(2);
if (command === 'mcp') {
  // From here on the tool server is the program, and the rest are its arguments.
  process.argv.splice(2, 1);
  await import('../mcp/main.js');
} else {
  await import('./main.js');
}
