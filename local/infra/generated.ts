import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTING_NAMES } from '../../shared/config.ts';
import { CONTAINERS, containerRequest } from '../../shared/store/containers.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Settings whose values only the deployment knows, or that are for local stacks alone. */
const NOT_TUNABLE = /^(STREAMS|COSMOS_.*|AzureWebJobsStorage.*)$/;

/**
 * The files in infra/ that say in Bicep's language what the code says in its own: path from the root -> value.
 * - `containers.json`: the containers as shared/store/containers.ts has them.
 * - `settings.json`: the defaults of local.settings.sample.json for each setting of shared/config.ts that can be tuned.
 */
export function generatedFiles(): Readonly<Record<string, unknown>> {
  const sample = JSON.parse(readFileSync(join(ROOT, 'local.settings.sample.json'), 'utf8')) as {
    readonly Values: Readonly<Record<string, string>>;
  };
  const settings = SETTING_NAMES.filter((name) => !NOT_TUNABLE.test(name)).map((name) => [name, sample.Values[name]]);
  return {
    'infra/containers.json': Object.values(CONTAINERS).map(containerRequest),
    'infra/settings.json': Object.fromEntries(settings),
  };
}
