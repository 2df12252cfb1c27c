/**
 * `node:http` as `require` returns it. From Node 22 on, an `import` takes 50 ms of processor time: it reads all
 * exports, and reading `WebSocket` loads the whole of `fetch`.
 */
export const { Agent, request } = process.getBuiltinModule('node:http');
