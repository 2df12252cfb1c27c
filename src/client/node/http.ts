/**
 * `node:http` as `require` gives it. From Node 22 on an `import` of it takes 50 ms of processor time: it reads all
 * exports, of which `WebSocket` loads the whole of `fetch`.
 */
export const { Agent, request } = process.getBuiltinModule('node:http');
