import { CosmosClient } from '@azure/cosmos';
import type { RowDocument } from '../shared/change/rowDocument.ts';
import { CONTAINERS } from '../shared/store/containers.ts';
import type { StackDescription } from './stack.ts';

/** Rows of each table that are printed; the rest is counted. */
const ROWS_PER_TABLE = 5;
const MAX_CELL_CHARACTERS = 28;

/** Prints the converged rows, table by table, as they stand in Cosmos DB. */
export async function printRows({ cosmosEndpoint, cosmosKey, cosmosDatabase }: StackDescription): Promise<void> {
  const client = new CosmosClient({ endpoint: cosmosEndpoint, key: cosmosKey });
  const container = client.database(cosmosDatabase).container(CONTAINERS.rows.id);
  const { resources: tables } = await container.items.query<string>('SELECT DISTINCT VALUE c.table FROM c').fetchAll();
  for (const table of tables.sort()) {
    const { resources } = await container.items
      .query<RowDocument>('SELECT * FROM c', { partitionKey: [table] })
      .fetchAll();
    const live = resources.filter(({ deleted }) => !deleted);
    live.sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
    console.log(`${table}: ${live.length} rows, ${resources.length - live.length} tombstones`);
    if (live.length > 0)
      console.table(Object.fromEntries(live.slice(0, ROWS_PER_TABLE).map(({ id, row }) => [id, shortened(row)])));
  }
  client.dispose();
}

function shortened(row: RowDocument['row']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return [column, text.length > MAX_CELL_CHARACTERS ? `${text.slice(0, MAX_CELL_CHARACTERS - 1)}…` : text];
    }),
  );
}
