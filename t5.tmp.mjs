import { readFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { connect } from '@nats-io/transport-node';
const f = JSON.parse(await readFile('tmp/a/data/fleet/fleet.json','utf8'));
const { Identity } = await import('./dist/src/fleet/identity.js');
const { nkeyOf } = await import('./dist/src/fleet/nkey.js');
const { seal, unchecked } = await import('./dist/src/fleet/signed.js');
const id = new Identity(Buffer.from((await readFile('tmp/b/data/fleet/machine-key','utf8')).trim(),'base64url'));
const me=id.machineId, hub=f.hub.machineId; const T1=process.argv[2];
const c = await connect({servers: `${f.hub.host}:${f.hub.port}`, reconnect:false, inboxPrefix:'at1.r.'+me, tls:{ca:f.hub.certificate, servername:'auto-terminal-hub'}, authenticator: (n)=>({nkey:nkeyOf(id.publicKey), sig:id.sign(Buffer.from(n??''))})});
const dir = JSON.parse((await c.request(`at1.q.${hub}.${me}.directory`,'',{timeout:5000})).string());
const epoch = dir.machines.find(m=>m.machineId===hub).epoch;
let got = new Map();
c.subscribe(`at1.s.${me}.>`, {callback:(e,m)=>{ const x=m.subject.split('.').at(-1); got.set(x, m.data.length?unchecked(m.data):null); }});
const junk = ['', '{}', 'null', '[]', '\n', 'x\n{}', '\n{"taken":1}', '{"epoch":1}', '{"isWhole":true,"machines":null}', randomBytes(100), 'mac.aaaaaaaaaaaaaaaa.'+'a'.repeat(43)+'\n{}', 'mac.aaaaaaaaaaaaaaaa.'+'a'.repeat(43)+'\n{"id":"'+'a'.repeat(22)+'","from":"x","to":"y","epoch":"e","at":1,"method":"GET","url":"/"}'];
for (const s of [`at1.q.${hub}.${me}.call`,`at1.q.${hub}.${me}.cancel`,`at1.q.${hub}.${me}.other`,`at1.q.${hub}.${me}.directory`,`at1.s.${hub}.${me}.x`,`at1.s.${hub}.${me}.stream.x`,`at1.s.${hub}.${me}.stream`,`at1.hb.${me}`, `at1.q.${hub}.${me}.a.b.c`])
 for (const j of junk) c.publish(s, j, {reply: `at1.r.${me}.zz`});
await c.flush();
const call = (x) => { const cid = randomBytes(16).toString('base64url'); const o={id:cid, from:me, to:hub, epoch, at:Date.now(), method:'GET', url:'/api/terminals', ...x}; c.publish(`at1.q.${hub}.${me}.call`, seal(id,'call',o), {reply:`at1.r.${me}.q`}); return [cid, x]; };
const list = [
 {url:'/api/terminals?%'},{url:'/api/terminals?%ff=%ff'},{url:`/api/terminals/${T1}?%`},{url:`/api/terminals/${T1}/output?since=%`},{url:`/api/terminals?a=${'%41'.repeat(5000)}`},
 {url:`/api/terminals/${T1}/output`, key:'a\nb'},{url:`/api/terminals/${T1}/input`, method:'POST', body:'{"data":"x"}', key:'a\r\nX: y'},{url:`/api/terminals/${T1}/input`, method:'POST', body:'{"data":"x"}', key:'é☃'},{url:`/api/terminals/${T1}/input`, method:'POST', body:'{"data":"x"}', key:''},
 {url:`/api/terminals/${T1}/input`, method:'POST', body:'not json'},{url:`/api/terminals/${T1}/input`, method:'POST', body:'null'},{url:`/api/terminals/${T1}/input`, method:'POST', body:'"x"'},{url:`/api/terminals/${T1}/input`, method:'POST', body:'{"__proto__":{"data":"x"}}'},{url:`/api/terminals/${T1}/input`, method:'POST', body:'{"constructor":{"prototype":{"x":1}},"data":"x"}'},
 {url:`/api/terminals/${T1}/live`, method:'STREAM'},{url:`/api/terminals/${T1}/live`, method:'STREAM', body:'{}'},{url:`/api/terminals/${T1}/live`, method:'STREAM', body:JSON.stringify({id:'a'.repeat(22), key:'x'})},{url:'/api/events?since=%', method:'STREAM', body:JSON.stringify({id:'b'.repeat(22), key:'x'})},
 {url:'/api/runs/%/stream', method:'STREAM'},{url:'/api/recordings/..', method:'GET'},{url:'/api/recordings/status/..', method:'GET'},
 {url:'/api/terminals', method:'get'},{url:'/api/terminals', method:'HEAD'},{url:'/api/terminals', method:'OPTIONS'},{url:'/api/terminals', method:'TRACE'},
 {url:`/api/terminals/${T1}/screenshot`},{url:`/api/terminals/${T1}/screenshot`, brief:true},{url:`/api/terminals/${T1}/capture?format=x`},{url:'/api/fleet/rights', known:'x'},
 {url:'/api/terminals/changes', method:'POST', body:'{"cursors":[1,2]}'},{url:'/api/terminals/changes', method:'POST', body:'{"cursors":"abc"}'},{url:'/api/terminals/batch/run', method:'POST', body:'{"runs":[null]}'},{url:'/api/terminals/batch/run', method:'POST', body:'{"terminalIds":"x"}'},{url:'/api/recordings/start', method:'POST', body:'{"terminal_id":["x"]}'},
 {url:'/api/terminals/wait', method:'POST', body:'{"machines":"all","selector":{}}'},{url:'/api/fleet/execute', method:'POST', body:'{"command":"x","machineId":"'+me+'"}'},
 {at:'x'},{at:Date.now()+301000},{at:Date.now()-301000},{at:1e308},{id:'short'},{to:'x'},{from:'x'},
 {url:'http://evil/api/terminals'},{url:'//evil/api/terminals'},{url:'/api/terminals\\..\\..\\settings'},{url:'/api/terminals;a=b'},{url:'/api/terminals#/../settings'},{url:'/api/terminals?#'},{url:'/api/terminals?a#b'},
];
const sent = list.map(call);
await c.flush(); await new Promise(r=>setTimeout(r,4000));
for (const [cid,x] of sent) { const g=got.get(cid); console.log(JSON.stringify(x).slice(0,90), '=>', g ? (g.taken===false? `not taken ${g.why} ${g.status} ${g.body?.code}` : g.taken ? 'taken': `${g.status} ${(g.text??'').slice(0,60)}`) : 'NOTHING'); }
await c.close(); process.exit(0);
