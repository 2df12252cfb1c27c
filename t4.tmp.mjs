import { readFile } from 'node:fs/promises';
import { connect as tcp } from 'node:net';
import { connect } from '@nats-io/transport-node';
const f = JSON.parse(await readFile('tmp/a/data/fleet/fleet.json','utf8'));
const { Identity } = await import('./dist/src/fleet/identity.js');
const { nkeyOf } = await import('./dist/src/fleet/nkey.js');
const id = new Identity(Buffer.from((await readFile('tmp/b/data/fleet/machine-key','utf8')).trim(),'base64url'));
const c = await connect({servers: `${f.hub.host}:${f.hub.port}`, reconnect:false, tls:{ca:f.hub.certificate, servername:'auto-terminal-hub'}, authenticator: (n)=>({nkey:nkeyOf(id.publicKey), sig:id.sign(Buffer.from(n??''))})});
const t0=Date.now(); let n=0;
while (Date.now()-t0<8000) { for (let i=0;i<500;i++) { c.publish('x.'+'y'.repeat(200)+(n++), ''); } await c.flush(); }
console.log('published', n); await c.close(); process.exit(0);
