/** Every bound and deadline of the service, with its unit and its reason; one file for each part of the service. */
export * from './limits/admission.js';
export * from './limits/commands.js';
export * from './limits/dashboard.js';
export * from './limits/engine.js';
export * from './limits/events.js';
export * from './limits/fleet.js';
export * from './limits/gateway.js';
export * from './limits/input-gate.js';
export * from './limits/mcp.js';
export * from './limits/redaction.js';
export * from './limits/resources.js';
export * from './limits/run-streams.js';
export * from './limits/screen-rows.js';
export * from './limits/search.js';
export * from './limits/watches.js';
export * from './limits/webhooks.js';
