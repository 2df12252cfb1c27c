import WebSocket from 'ws';
const [,, base, q, id] = process.argv;
const s = new WebSocket(base.replace('http','ws') + q);
await new Promise((r)=>s.on('open',r));
await new Promise(r=>setTimeout(r,300));
for (let i=0;i<5;i++) s.send(JSON.stringify({id:'c'+i,type:'command',payload:{action:'terminal:input',terminalId:id,data:`echo n${i}\n`}}));
s.close();
await new Promise((r)=>s.on('close',r));
