import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';

const saved = z.object({ size: z.number(), modifiedMs: z.number(), rows: z.int().min(0) });

/** What must be the same for a load to go on where another ended. */
export interface LoadIdentity {
  readonly path: string;
  readonly table: string;
  readonly token: string;
  readonly size: number;
  readonly modifiedMs: number;
}

/**
 * How many rows of a file are durable, in a small file under `.local/`: a load that was interrupted goes on from there.
 * A load that begins anew does no harm, so it may lag behind.
 */
export class LoadProgress {
  readonly #file: string;
  readonly #identity: LoadIdentity;

  constructor(folder: string, identity: LoadIdentity) {
    const { path, table, token } = identity;
    const name = createHash('sha256')
      .update(`${resolve(path)}\n${table}\n${token}`)
      .digest('hex')
      .slice(0, 16);
    this.#file = join(folder, '.local', `load-${name}.json`);
    this.#identity = identity;
  }

  /** Rows to skip: 0 where nothing was loaded, or the file has changed since. */
  async read(): Promise<number> {
    try {
      const { size, modifiedMs, rows } = saved.parse(JSON.parse(await readFile(this.#file, 'utf8')));
      return size === this.#identity.size && modifiedMs === this.#identity.modifiedMs ? rows : 0;
    } catch {
      return 0;
    }
  }

  async save(rows: number): Promise<void> {
    const { size, modifiedMs } = this.#identity;
    await mkdir(join(this.#file, '..'), { recursive: true });
    await writeFile(this.#file, JSON.stringify({ size, modifiedMs, rows }));
  }

  async finish(): Promise<void> {
    await rm(this.#file, { force: true });
  }
}
