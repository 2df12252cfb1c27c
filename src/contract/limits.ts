/** Every bound and deadline of the service, with its unit and its reason, a file for each part of the house. */
export * from './limits/commands.js';
export * from './limits/engine.js';
export * from './limits/gateway.js';
export * from './limits/mcp.js';
export * from './limits/resources.js';
export * from './limits/search.js';
