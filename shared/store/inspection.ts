import { ErrorResponse, type ContainerDefinition as StoredDefinition } from '@azure/cosmos';
import type { Config } from '../config.ts';
import { openDatabase } from './client.ts';
import { CONTAINERS, type ContainerDefinition, containerRequest } from './containers.ts';

const NOT_FOUND = 404;
const PROBE_ID = 'doctor-probe';
const PROBE_TTL_SECONDS = 60;

/** What is wrong with the containers as they are, a line each. Throws what the client throws when it cannot be reached. */
export async function inspectContainers(config: Config['cosmos']): Promise<string[]> {
  const database = await openDatabase(config);
  const problems = await Promise.all(
    Object.values(CONTAINERS).map(async (definition: ContainerDefinition): Promise<string[]> => {
      try {
        const { resource } = await database.container(definition.id).read();
        return resource === undefined ? [`${definition.id} is not there`] : differences(definition, resource);
      } catch (error) {
        if (error instanceof ErrorResponse && error.code === NOT_FOUND) return [`${definition.id} is not there`];
        throw error;
      }
    }),
  );
  return problems.flat();
}

/** Writes a document, reads it and deletes it. Throws what the client throws when one of them is not allowed. */
export async function probeWriting(config: Config['cosmos']): Promise<void> {
  const container = (await openDatabase(config)).container(CONTAINERS.cursors.id);
  await container.items.upsert({ id: PROBE_ID, kind: 'probe', ttl: PROBE_TTL_SECONDS });
  await container.item(PROBE_ID, PROBE_ID).read();
  await container.item(PROBE_ID, PROBE_ID).delete();
}

function differences(definition: ContainerDefinition, stored: StoredDefinition): string[] {
  const wanted = containerRequest(definition);
  const { id } = definition;
  const problems: string[] = [];
  const paths = stored.partitionKey?.paths.join() ?? '';
  if (paths !== definition.partitionKey.join()) {
    problems.push(`${id} is partitioned by ${paths}, not by ${definition.partitionKey.join()}`);
  }
  if ((stored.defaultTtl ?? undefined) !== wanted.defaultTtl) {
    problems.push(`${id} has the time to live ${stored.defaultTtl ?? 'off'}, not ${wanted.defaultTtl ?? 'off'}`);
  }
  const indexed = new Set(stored.indexingPolicy?.includedPaths?.map(({ path }) => path));
  const missing = definition.indexed.filter((path) => !indexed.has(path) && !indexed.has('/*'));
  if (missing.length > 0) problems.push(`${id} does not index ${missing.join(', ')}`);
  return problems;
}
