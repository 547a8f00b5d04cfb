import avro, { type Schema, type Type } from 'avsc';
import { dataSchemaOf, ENVELOPE_SCHEMA } from '../local/samples/qlik/avroSchemas.ts';
import type { QlikEvent, QlikTable } from '../local/samples/qlik/qlikEvent.ts';
import { dataAvro } from '../local/samples/qlik/renderAvro.ts';
import { dataJson, metadataOf } from '../local/samples/qlik/renderJson.ts';
import { EMPLOYEE, EMPLOYEE_WITH_EMAIL, staffEvents } from '../local/samples/qlik/staff.ts';
import { splitBody } from '../shared/body/parts.ts';
import type { JsonValue } from '../shared/change/json.ts';
import { DEFAULT_QLIK_STREAM } from '../shared/config.ts';
import { UnprocessableError } from '../shared/ingest/reasons.ts';
import { splitAvroBody } from '../shared/qlik/avroFrames.ts';
import type { DataMessage } from '../shared/qlik/message.ts';
import { readMetadata } from '../shared/qlik/metadata.ts';
import { normalise, type Place } from '../shared/qlik/normalise.ts';
import { decodeMessage, type OpenedRecord, openFrame, openJson } from '../shared/qlik/openRecord.ts';
import { readOperation } from '../shared/qlik/operations.ts';
import { readSequence } from '../shared/qlik/sequence.ts';
import { VersionPlan } from '../shared/qlik/versionPlan.ts';
import { compete } from './contest/compete.ts';
import { thousands } from './contest/thousands.ts';

export const name = 'qlik';

const MESSAGES = 2_000;
const MESSAGES_PER_BODY = 100;
const NESTING_LEVELS = 100;
const MAX_BYTES = 1_000_000;

const { format } = DEFAULT_QLIK_STREAM;
const PLANS = new Map([EMPLOYEE, EMPLOYEE_WITH_EMAIL].map((table) => [table.schemaId, planOf(table)]));
const ENVELOPE = avro.Type.forSchema(ENVELOPE_SCHEMA);
const DATA_TYPES = new Map<string, Type>(
  [EMPLOYEE, EMPLOYEE_WITH_EMAIL].map((table) => [table.schemaId, avro.Type.forSchema(dataSchemaOf(table) as Schema)]),
);

/** Bodies, how many messages are in each, and what is done with one by the floor and by us. */
interface Contest {
  readonly label: string;
  readonly bodies: readonly Buffer[];
  readonly floorLabel: string;
  readonly floor: (body: Buffer) => unknown;
  readonly subject: (body: Buffer) => void;
}

/**
 * From the bytes of a body to changes, against what no consumer can do without: reading the JSON and writing it for the
 * database; for Avro the bare decoder on the same bytes, envelope and record.
 */
export async function run({ seconds }: { readonly seconds: number }): Promise<readonly string[]> {
  const events = [...staffEvents(1, MESSAGES - 20)];
  const contests: readonly Contest[] = [
    {
      label: 'JSON',
      bodies: bodiesOf(events, (batch) => Buffer.from(`[${batch.map(dataJson).join(',')}]`)),
      floorLabel: 'JSON.parse + JSON.stringify',
      floor: (body) => JSON.stringify(JSON.parse(body.toString())),
      subject: takeJson,
    },
    {
      label: 'Avro',
      bodies: bodiesOf(events, (batch) => Buffer.concat(batch.map(dataAvro))),
      floorLabel: 'bare avsc',
      floor: decodeBare,
      subject: takeAvro,
    },
  ];
  return contests.map((contest) => compare(contest, (2 * seconds * 1000) / contests.length));
}

function compare({ label, bodies, floorLabel, floor, subject }: Contest, milliseconds: number): string {
  const rates = compete({ floor, subject }, bodies, milliseconds);
  const share = Math.round((100 * rates.subject) / rates.floor);
  return `${label}: ${thousands(rates.subject * MESSAGES_PER_BODY)} messages/s, ${share} % of ${floorLabel} (${thousands(rates.floor * MESSAGES_PER_BODY)} messages/s)`;
}

function takeJson(body: Buffer): void {
  for (const { content } of splitBody(body, { nestingLevels: NESTING_LEVELS })) {
    if (content instanceof UnprocessableError) throw content;
    const opened = openJson(content as JsonValue, format);
    if (opened.kind !== 'data') throw new TypeError('the benchmark has data messages only');
    take(opened);
  }
}

function takeAvro(body: Buffer): void {
  for (const { content } of splitAvroBody(body, MAX_BYTES)) {
    if (content instanceof UnprocessableError) throw content;
    const opened: OpenedRecord = openFrame(content, null, format);
    if (opened.kind !== 'encoded' || opened.schema.from !== 'metadata') throw new TypeError('not a data message');
    take(decodeMessage(opened, planFor(opened.schema.schemaId).reader, format));
  }
}

function take(message: DataMessage): void {
  const plan = planFor(message.schemaId ?? '');
  const operation = readOperation(message.headers);
  const place: Place =
    operation === 'REFRESH'
      ? { kind: 'load', load: 1, base: '0' }
      : { kind: 'captured', sequence: readSequence(message.headers.changeSequence) };
  normalise('bench', message, operation, { name: 'hr.employee', plan, key: plan.key }, place);
}

function decodeBare(body: Buffer): void {
  for (let at = 0; at < body.length; ) {
    const { value, offset } = ENVELOPE.decode(body, at);
    const { messageSchemaId, message } = value;
    DATA_TYPES.get(messageSchemaId.string ?? messageSchemaId)?.fromBuffer(message);
    at = offset;
  }
}

function planOf(table: QlikTable): VersionPlan {
  return new VersionPlan(readMetadata({ kind: 'metadata', schemaId: null, content: metadataOf(table) }));
}

function planFor(schemaId: string): VersionPlan {
  const plan = PLANS.get(schemaId);
  if (plan === undefined) throw new TypeError('a message names a schema that there is not');
  return plan;
}

function bodiesOf(events: readonly QlikEvent[], render: (batch: readonly QlikEvent[]) => Buffer): readonly Buffer[] {
  const starts = Array.from({ length: events.length / MESSAGES_PER_BODY }, (_, index) => index * MESSAGES_PER_BODY);
  return starts.map((start) => render(events.slice(start, start + MESSAGES_PER_BODY)));
}
