// A program for a terminal: prints coloured lines at an even rate. argv: MB of terminal output per second, seconds.
const [megabytes = 5, seconds = 6] = process.argv.slice(2).map(Number);
const BATCH_MS = 10;

const line =
  '\x1b[32mok\x1b[0m src/\x1b[1;34mmodule\x1b[22;39m/file.ts \x1b[38;5;208mcompiled\x1b[m in 12 ms';
const begin = performance.now();
let index = 0;
let bytes = 0;

const timer = setInterval(() => {
  const elapsed = Math.min(seconds * 1000, performance.now() - begin);
  const due = elapsed * megabytes * 1000;
  let text = '';
  while (bytes < due) {
    const next = `${line} ${index++}\n`;
    text += next;
    // One more byte, since the terminal turns LF into CR LF.
    bytes += next.length + 1;
  }
  process.stdout.write(text);
  if (elapsed >= seconds * 1000) clearInterval(timer);
}, BATCH_MS);
