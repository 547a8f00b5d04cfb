import type { Terminal } from './terminal.ts';

/** What a command ends with: all is well, something was found that is not, or it was called wrongly. */
export const EXIT = { ok: 0, found: 1, usage: 2 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What a command has to work with. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where `.local/stack.json` and `local.settings.json` are looked for. */
  readonly folder: string;
}

/** One command of `npx tributary`. Throws UsageError for what it cannot understand. */
export type Command = (args: readonly string[], context: CommandContext) => Promise<ExitCode>;

/** Thrown when a command was called wrongly; the message says what to change. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
