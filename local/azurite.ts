import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const HOST = '127.0.0.1';
/** Account and key that the storage emulators document; they protect nothing. */
const ACCOUNT = 'devstoreaccount1';
const ACCOUNT_KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

const START_TIMEOUT_MS = 30_000;
const PROBE_INTERVAL_MS = 25;
/** A free port can be taken by another process before Azurite has it. */
const MAX_ATTEMPTS = 5;
const LISTENING = 'successfully listens';
const PORT_TAKEN = 'EADDRINUSE';

/** What `startAzurite` needs to know. */
export interface AzuriteOptions {
  /** TCP port on 127.0.0.1; 0 (the default) takes a free one. */
  readonly port?: number;
}

/** A running Azurite blob service. */
export interface Azurite {
  readonly connectionString: string;
  /** Ends Azurite; its blobs are gone. */
  close(): Promise<void>;
}

/** Thrown when Azurite ends or stays silent instead of answering; the message carries what it printed. */
export class AzuriteStartError extends Error {
  override readonly name = 'AzuriteStartError';
}

/**
 * Starts Azurite's blob service as a child process, in memory. It accepts every API version and the container `$blobchangefeed`, and it
 * ends with this process however that ends.
 * @throws AzuriteStartError when it does not come up, for instance because the port is taken.
 */
export async function startAzurite(options: AzuriteOptions = {}): Promise<Azurite> {
  const wanted = options.port ?? 0;
  for (let attempt = 1; ; attempt += 1) {
    const port = wanted === 0 ? await freePort() : wanted;
    const child = spawnAzurite(port);
    try {
      await answers(child, port);
      return {
        connectionString:
          `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${ACCOUNT_KEY};` +
          `BlobEndpoint=http://${HOST}:${port}/${ACCOUNT};`,
        close: () => end(child),
      };
    } catch (error) {
      await end(child);
      const collision = error instanceof AzuriteStartError && error.message.includes(PORT_TAKEN);
      if (!collision || wanted !== 0 || attempt === MAX_ATTEMPTS) {
        throw error;
      }
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host: HOST, port: 0 }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function spawnAzurite(port: number): ChildProcess {
  const entry = createRequire(import.meta.url).resolve('azurite/dist/src/blob/main.js');
  const flags = ['--inMemoryPersistence', '--skipApiVersionCheck', '--disableTelemetry', '--silent', '--loose'];
  const parentWatch = new URL('./exitWithParent.ts', import.meta.url).href;
  return spawn(
    process.execPath,
    ['--import', parentWatch, entry, '--blobHost', HOST, '--blobPort', String(port), ...flags],
    // The pipe to the child's input stays open and silent: its end tells the child that this process is gone.
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
}

async function answers(child: ChildProcess, port: number): Promise<void> {
  let printed = '';
  let failed = false;
  const collect = (chunk: Buffer): void => {
    printed += chunk.toString();
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  child.once('error', (error) => {
    failed = true;
    printed += error.message;
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!printed.includes(LISTENING) || !(await probe(port))) {
    if (failed || child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      throw new AzuriteStartError(`Azurite did not start on ${HOST}:${port}: ${printed.trim()}`);
    }
    await sleep(PROBE_INTERVAL_MS);
  }
  child.stdout?.off('data', collect).resume();
  child.stderr?.off('data', collect).resume();
}

/** Any HTTP answer will do: an unsigned request is refused. */
async function probe(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://${HOST}:${port}/${ACCOUNT}?comp=list`);
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
      resolve();
      return;
    }
    child.once('exit', () => resolve());
    // Nothing is to be saved, and a graceful end would wait for clients' idle connections.
    child.kill('SIGKILL');
  });
}
