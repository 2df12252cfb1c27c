const [,, B, AID, A, BID, T1] = process.argv;
const api = async (m, u, b) => { const r = await fetch(u, {method:m, headers:{'content-type':'application/json'}, body: b&&JSON.stringify(b)}); return {status:r.status, body: await r.json(), h: r.headers.get('retry-after')} };
await api('POST', A+'/api/fleet/grants', {to: BID, can:['observe','execute','type']});
const ps = Array.from({length: 100}, () => api('POST', `${B}/api/machines/${AID}/terminals/${T1}/wait`, {until:'exit', timeoutMs:3000}));
const rs = await Promise.all(ps); const c={}; for (const r of rs) { const k=r.status+' '+(r.body.code??r.body.reason??''); c[k]=(c[k]??0)+1; } console.log(c, rs.find(r=>r.status!==200)?.body, rs.find(r=>r.status!==200)?.h);
