#!/usr/bin/env node
/**
 * Starts the command line on the Node that `npm ci` installed, whatever Node this is. Plain JavaScript, for an older Node
 * cannot read TypeScript.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REQUIRED_MAJOR = 24;
const program = new URL('./run.ts', import.meta.url);

if (Number(process.versions.node.split('.')[0]) >= REQUIRED_MAJOR) await import(program.href);
else runOnInstalledNode();

function runOnInstalledNode() {
  const node = installedNode();
  if (node === undefined) {
    console.error(
      `tributary runs on Node ${REQUIRED_MAJOR}, this is Node ${process.versions.node}, and there is no other in node_modules: ` +
        'install with `npm ci`, without --ignore-scripts.',
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [fileURLToPath(program), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}

/** The program of the package `node`; undefined when it is not installed. */
function installedNode() {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('node/package.json'));
    const path = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
