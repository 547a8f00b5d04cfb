import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, ExitCode } from '../../cli/command.ts';
import type { Terminal } from '../../cli/terminal.ts';
import type { StackDescription } from '../../local/stack.ts';

/** A folder of its own with the files that a command reads. */
export interface CliFolder {
  readonly path: string;
  /** Writes a file; returns its path. */
  file(name: string, content: string | Uint8Array): Promise<string>;
  /** Runs a command in the folder, as if a stack of this description ran there. */
  run(command: Command, args: readonly string[], environment?: Record<string, string>): Promise<CliResult>;
  close(): Promise<void>;
}

export interface CliResult {
  readonly code: ExitCode;
  /** What a pipe would get. */
  readonly output: string;
  readonly notes: string;
}

export async function openCliFolder(stack?: StackDescription): Promise<CliFolder> {
  const path = await mkdtemp(join(tmpdir(), 'tributary-cli-'));
  if (stack !== undefined) {
    await mkdir(join(path, '.local'));
    await writeFile(join(path, '.local', 'stack.json'), JSON.stringify(stack));
  }
  return {
    path,
    async file(name, content) {
      await mkdir(join(path, name, '..'), { recursive: true });
      await writeFile(join(path, name), content);
      return join(path, name);
    },
    async run(command, args, environment = {}) {
      const output: string[] = [];
      const notes: string[] = [];
      const terminal: Terminal = {
        line: (text) => output.push(text),
        note: (text) => notes.push(text),
        progress: () => undefined,
        endProgress: () => undefined,
      };
      const code = await command(args, { terminal, environment, folder: path });
      return { code, output: output.join('\n'), notes: notes.join('\n') };
    },
    close: () => rm(path, { recursive: true }),
  };
}
