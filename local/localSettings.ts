import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const settingsFile = z.object({ Values: z.record(z.string(), z.string()).default({}) });

/** Settings that say where a service is: the stack knows better. */
const ADDRESSES = new Set([
  'AzureWebJobsStorage',
  'COSMOS_ENDPOINT',
  'COSMOS_KEY',
  'COSMOS_DATABASE',
  'CES',
  'CHANGEFEED',
]);

/**
 * The app settings of a local run: the values of `local.settings.json`, where there is one, overruled by environment
 * variables of the same names, and by STREAMS.
 * Throws SyntaxError or ZodError when the file is not what Core Tools would read.
 */
export async function localSettings(appRoot: string): Promise<Record<string, string>> {
  const fromFile = await readSettingsFile(join(appRoot, 'local.settings.json'));
  const sample = await readSettingsFile(join(appRoot, 'local.settings.sample.json'));
  const settings: Record<string, string> = {};
  for (const name of new Set([...Object.keys(sample), ...Object.keys(fromFile)])) {
    const value = process.env[name] ?? fromFile[name];
    if (value !== undefined && !ADDRESSES.has(name)) settings[name] = value;
  }
  return settings;
}

async function readSettingsFile(path: string): Promise<Record<string, string>> {
  try {
    return settingsFile.parse(JSON.parse(await readFile(path, 'utf8'))).Values;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}
