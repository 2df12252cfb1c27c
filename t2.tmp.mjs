import WebSocket from 'ws';
const [,, B, AID, A, BID, T1] = process.argv;
const api = async (m, u, b) => { const r = await fetch(u, {method:m, headers:{'content-type':'application/json'}, body: b&&JSON.stringify(b)}); const t = await r.text(); try { return {status:r.status, body: JSON.parse(t)} } catch { return {status:r.status, body:t} } };
for (const g of (await api('GET', A+'/api/fleet/grants')).body.grants) await api('DELETE', `${A}/api/fleet/grants/${g.id}`);
const grant = (b) => api('POST', A+'/api/fleet/grants', {to: BID, ...b});
const open = async (q) => { const s = new WebSocket(B.replace('http','ws')+`/api/machines/${AID}/ws?${q}`); s.msgs=[]; s.on('message', m => s.msgs.push(JSON.parse(m))); await new Promise((r,j)=>{s.on('open',r);s.on('error',j)}); s.cmd = (id,payload)=>s.send(JSON.stringify({id,type:'command',payload})); return s; };
const sleep = ms => new Promise(r=>setTimeout(r,ms));
const until = async (f, ms=5000) => { const t=Date.now(); while(Date.now()-t<ms){ const v=await f(); if(v) return v; await sleep(10);} return undefined; };
// 1 revoke during execute
let g = (await grant({can:['observe','execute','type']})).body.id;
let t0=Date.now(); let p = api('POST', B+'/api/fleet/execute', {terminalId:T1, command:'sleep 5', machineId: AID}); await sleep(500); await api('DELETE', `${A}/api/fleet/grants/${g}`); let r=await p; console.log('1', Date.now()-t0, r.status, r.body.code);
await sleep(5000);
// 2 queued behind a lease, revoked
g = (await grant({can:['observe','execute','type'], terminals: [T1]})).body.id;
let lease = (await api('POST', `${A}/api/terminals/${T1}/lease`, {ttlMs:3000})).body;
p = api('POST', `${B}/api/machines/${AID}/terminals/${T1}/input`, {data:'echo SHOULDNOT\n', whenBusy:'queue', queueMs:20000});
let p2 = api('POST', `${B}/api/machines/${AID}/terminals/batch/input`, {terminalIds:[T1], data:'echo SHOULDNOTB\n', whenBusy:'queue', queueMs:20000});
let p3 = api('POST', `${B}/api/machines/${AID}/terminals/batch/run`, {terminalIds:[T1], command:'echo SHOULDNOTC', whenBusy:'queue', queueMs:20000});
let p4 = api('POST', `${B}/api/machines/${AID}/terminals/${T1}/execute`, {prompt:'echo SHOULDNOTD', whenBusy:'queue', queueMs:20000});
let p5 = api('POST', `${B}/api/machines/${AID}/terminals/batch/execute`, {terminalIds:[T1], prompt:'echo SHOULDNOTE', whenBusy:'queue', queueMs:20000});
let p6 = api('POST', `${B}/api/machines/${AID}/terminals/${T1}/keys`, {keys:['a','b'], whenBusy:'queue', queueMs:20000});
await sleep(700); await api('DELETE', `${A}/api/fleet/grants/${g}`);
for (const x of [p,p2,p3,p4,p5,p6]) { r=await x; console.log('2', r.status, r.body.code, JSON.stringify(r.body).slice(0,150)); }
await sleep(4000); console.log((await api('GET', `${A}/api/terminals/${T1}/output`)).body.raw.match(/SHOULDNOT\w?/g));
// 3 live: watch, revoke, regrant, watch again
g = (await grant({can:['observe'], terminals:[T1]})).body.id;
const s = await open(`terminals=${T1}&snapshot=1&events=lifecycle`); await until(()=>s.msgs.some(m=>m.event?.cols));
t0=Date.now(); await api('DELETE', `${A}/api/fleet/grants/${g}`); const e=await until(()=>s.msgs.find(m=>m.event?.type==='stream.ended')); console.log('3 ended', Date.now()-t0, JSON.stringify(e?.event));
g = (await grant({can:['observe'], terminals:[T1]})).body.id; s.msgs.length=0; s.cmd('w',{action:'stream:watch',terminals:[T1]}); console.log('3 again', JSON.stringify(await until(()=>s.msgs.find(m=>m.event?.cols))).slice(0,150));
// attach without type
s.cmd('a',{action:'terminal:attach',terminalId:T1,cols:80,rows:24}); console.log('3 attach', JSON.stringify(await until(()=>s.msgs.find(m=>m.id==='a'))));
s.cmd('i',{action:'terminal:input',terminalId:T1,data:'x'}); console.log('3 input', JSON.stringify(await until(()=>s.msgs.find(m=>m.id==='i'))));
s.cmd('r',{action:'terminal:resize',terminalId:T1,cols:90,rows:20}); console.log('3 resize', JSON.stringify(await until(()=>s.msgs.find(m=>m.id==='r'))));
s.cmd('all',{action:'stream:watch',terminals:'all'}); console.log('3 all', JSON.stringify(await until(()=>s.msgs.find(m=>m.id==='all'))));
s.cmd('l',{action:'lease:take',terminalId:T1}); console.log('3 lease', JSON.stringify(await until(()=>s.msgs.find(m=>m.id==='l'))));
s.close();
// 4 several grants: revoke one of two keeps
const g2 = (await grant({can:['observe'], terminals:'*'})).body.id;
const s2 = await open(`terminals=${T1}&snapshot=1`); await until(()=>s2.msgs.some(m=>m.event?.cols)); await api('DELETE', `${A}/api/fleet/grants/${g}`); await sleep(300); console.log('4 kept', !s2.msgs.some(m=>m.event?.type==='stream.ended'));
// 5 events stream, revoked -> ends?
const ac = new AbortController(); const ev = await fetch(`${B}/api/machines/${AID}/events?terminals=${T1}`, {signal: ac.signal}); const reader = ev.body.getReader(); let ended; (async()=>{ try { for(;;){ const x=await reader.read(); if (x.done) break; } ended='done'; } catch(e){ ended=String(e); } })(); await sleep(300); t0=Date.now(); await api('DELETE', `${A}/api/fleet/grants/${g2}`); await until(()=>ended); console.log('5 events ended', Date.now()-t0, ended); console.log('5 live ended', s2.msgs.some(m=>m.event?.type==='stream.ended')); s2.close();
// 6 wait with label lost
g = (await grant({can:['observe'], terminals:'role=ok'})).body.id;
p = api('POST', `${B}/api/machines/${AID}/terminals/${T1}/wait`, {until:'exit', timeoutMs:20000}); await sleep(300); t0=Date.now(); await api('PATCH', `${A}/api/terminals/${T1}`, {labels:{role:'other'}}); r=await p; console.log('6', Date.now()-t0, r.status, r.body.code); await api('PATCH', `${A}/api/terminals/${T1}`, {labels:{role:'ok'}});
// 7 until expires
g = (await grant({can:['observe'], terminals:'*', until: new Date(Date.now()+1500).toISOString()})).body.id; for (const x of (await api('GET', A+'/api/fleet/grants')).body.grants) if (x.id!==g) await api('DELETE', `${A}/api/fleet/grants/${x.id}`);
t0=Date.now(); p = api('POST', `${B}/api/machines/${AID}/terminals/${T1}/wait`, {until:'exit', timeoutMs:20000}); const s3=await open(`terminals=${T1}`); r=await p; console.log('7', Date.now()-t0, r.status, r.body.code); await until(()=>s3.msgs.find(m=>m.event?.type==='stream.ended')); console.log('7 live', Date.now()-t0); s3.close();
// 8 approvals
g = (await grant({can:['type','observe'], ask:'always'})).body.id;
p = api('POST', `${B}/api/machines/${AID}/terminals/${T1}/input`, {data:'echo APPR1\n'}); let u = await until(async()=> (await api('GET', A+'/api/fleet/requests')).body.uses[0]); console.log('8', u.action, u.text); await api('DELETE', `${A}/api/fleet/grants/${g}`); r=await p; console.log('8 revoked', r.status, r.body.code, (await api('GET', A+'/api/fleet/requests')).body.uses.length, (await api('POST', `${A}/api/fleet/requests/${u.id}/approve`)).status);
g = (await grant({can:['type','observe'], ask:'always'})).body.id;
p = api('POST', `${B}/api/machines/${AID}/terminals/${T1}/input`, {data:'echo APPR2\n'}); p2 = api('POST', `${B}/api/machines/${AID}/terminals/${T1}/input`, {data:'echo APPR3\n'}); await until(async()=> (await api('GET', A+'/api/fleet/requests')).body.uses.length===2);
let us=(await api('GET', A+'/api/fleet/requests')).body.uses; const both = await Promise.all([api('POST', `${A}/api/fleet/requests/${us[0].id}/approve`), api('POST', `${A}/api/fleet/requests/${us[0].id}/deny`)]); console.log('8 both', both.map(x=>x.status)); await api('POST', `${A}/api/fleet/requests/${us[1].id}/deny`); console.log((await p).status, (await p2).status);
await sleep(500); console.log((await api('GET', `${A}/api/terminals/${T1}/output`)).body.raw.match(/APPR\d/g));
process.exit(0);
