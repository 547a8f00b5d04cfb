import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { CommandContext } from './command.ts';

const stackFile = z.object({
  functionsUrl: z.string(),
  functionKey: z.string(),
  cosmosEndpoint: z.string(),
  cosmosKey: z.string(),
  cosmosDatabase: z.string(),
  blobConnectionString: z.string(),
  eventHubsConnectionString: z.string(),
  eventHubName: z.string(),
});

export type StackFile = z.output<typeof stackFile>;

const settingsFile = z.object({ Values: z.record(z.string(), z.string()).default({}) });

/** What the local stack says of itself; undefined while none runs. */
export async function readStackFile({ folder }: Pick<CommandContext, 'folder'>): Promise<StackFile | undefined> {
  const content = await readJson(join(folder, '.local', 'stack.json'));
  return content === undefined ? undefined : stackFile.parse(content);
}

/**
 * The app settings as the commands that go to the store themselves have them: environment variables first, then where the
 * local stack is, then `local.settings.json`.
 */
export async function appSettings(
  context: Pick<CommandContext, 'folder' | 'environment'>,
): Promise<Record<string, string | undefined>> {
  const { environment, folder } = context;
  const { Values: fromFile } = settingsFile.parse((await readJson(join(folder, 'local.settings.json'))) ?? {});
  const stack = environment.COSMOS_ENDPOINT === undefined ? await readStackFile(context) : undefined;
  return { ...fromFile, ...(stack === undefined ? {} : settingsOf(stack)), ...environment };
}

function settingsOf(stack: StackFile): Record<string, string> {
  return {
    COSMOS_ENDPOINT: stack.cosmosEndpoint,
    COSMOS_KEY: stack.cosmosKey,
    COSMOS_DATABASE: stack.cosmosDatabase,
    AzureWebJobsStorage: stack.blobConnectionString,
    CES: stack.eventHubsConnectionString,
    CHANGEFEED: stack.blobConnectionString,
  };
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
