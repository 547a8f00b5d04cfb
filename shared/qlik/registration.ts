import { z } from 'zod';
import type { IngestRequest } from '../body/ingestRequest.ts';
import { type BodyLimits, readBody } from '../body/readBody.ts';
import { RequestError } from '../body/requestError.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { QlikConsumer } from './consumer.ts';

const MAX_REGISTRY_ID = 2 ** 32 - 1;

/** As a Confluent registry answers `GET /schemas/ids/{id}`, plus what its messages do not say of their table. */
const registration = z.object({
  schema: z.union([z.string(), z.looseObject({ type: z.string() })]),
  table: z.string().min(1).nullish(),
  key: z.array(z.string().min(1)).min(1).nullish(),
});

/** An Avro schema as it is. */
const bareSchema = z.looseObject({ type: z.literal('record') });

/**
 * Registers the schema in the body of `request` for messages framed with the number `id`, and replays those that wait for it.
 * Throws RequestError (400, and what reading a body may throw), StoreUnavailableError.
 */
export async function registerSchema(
  consumer: QlikConsumer,
  id: string,
  request: IngestRequest,
  limits: BodyLimits,
): Promise<void> {
  const registryId = /^\d{1,10}$/.test(id) ? Number(id) : Number.NaN;
  if (!(registryId <= MAX_REGISTRY_ID))
    throw new RequestError(400, `a schema is named by a number up to ${MAX_REGISTRY_ID}`);
  const { schema, table, key } = readRegistration(Buffer.from(await readBody(request, limits)).toString());
  try {
    await consumer.schemas.register(registryId, { schema, table, key });
  } catch (error) {
    if (error instanceof UnprocessableError) throw new RequestError(400, error.message, { cause: error });
    throw error;
  }
  await consumer.replayRegistered(registryId);
}

function readRegistration(text: string): { schema: string; table: string | null; key: readonly string[] | null } {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new RequestError(400, 'the body is not JSON', { cause });
  }
  if (bareSchema.safeParse(body).success) return { schema: text, table: null, key: null };
  const { success, data } = registration.safeParse(body);
  if (!success) throw new RequestError(400, 'the body is neither an Avro schema nor {"schema", "table", "key"}');
  const schema = typeof data.schema === 'string' ? data.schema : JSON.stringify(data.schema);
  return { schema, table: data.table ?? null, key: data.key ?? null };
}
