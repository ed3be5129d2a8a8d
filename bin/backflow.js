#!/usr/bin/env node
// Starts the program with a Node.js that runs TypeScript as it is: this one, or the one that the package brings along.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const [major = 0] = process.versions.node.split('.').map(Number);

if (major >= 24) {
  await import(main);
} else {
  const bundled = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
  if (!existsSync(bundled)) {
    process.stderr.write(
      `backflow needs Node.js 24 or newer (this is ${process.version}). Run npm ci in its folder, or install Node.js 24.\n`,
    );
    process.exit(2);
  }
  const child = spawn(bundled, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal !== null) process.kill(process.pid, signal);
    process.exit(code ?? 1);
  });
}
