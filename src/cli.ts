#!/usr/bin/env node
// Runs the service, or the tool server alone. Each parses its own arguments.
const [command] = process.argv.slice(2);
if (command === 'mcp') {
  // Removes `mcp`, so that the tool server reads only its own arguments.
  process.argv.splice(2, 1);
  await import('../mcp/main.js');
} else {
  await import('./main.js');
}
