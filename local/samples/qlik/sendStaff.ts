import type { StackDescription } from '../../stack.ts';
import { dataAvro, metadataAvro } from './renderAvro.ts';
import { dataJson, metadataJson } from './renderJson.ts';
import { EMPLOYEE, EMPLOYEE_WITH_EMAIL, staffEvents } from './staff.ts';

const STAFF = { seed: 20_240_501, changes: 60 } as const;

/**
 * Posts the messages of a small Qlik task to the stream `hr`: a full load and changes in JSON, then, after a column has been
 * added, changes in Avro before the metadata that they need. Returns the number of messages.
 */
export async function sendStaff(stack: StackDescription): Promise<number> {
  const events = [...staffEvents(STAFF.seed, STAFF.changes)];
  const before = events.filter(({ table }) => table === EMPLOYEE);
  const after = events.filter(({ table }) => table === EMPLOYEE_WITH_EMAIL);
  await post(stack, `[${[metadataJson(EMPLOYEE), ...before.map(dataJson)].join(',')}]`, 'application/json');
  await post(stack, Buffer.concat(after.map(dataAvro)), 'application/avro');
  await post(stack, metadataAvro(EMPLOYEE_WITH_EMAIL), 'application/avro');
  return events.length + 2;
}

async function post(stack: StackDescription, body: string | Uint8Array, contentType: string): Promise<void> {
  const response = await fetch(`${stack.functionsUrl}/api/qlik/hr`, {
    method: 'POST',
    headers: { 'x-functions-key': stack.functionKey, 'content-type': contentType },
    body: Buffer.from(body),
  });
  if (!response.ok) throw new Error(`the sample messages of Qlik were not taken: status ${response.status}`);
}
