import { type AvroData, CHANGE_EVENT_TYPE, DATA_TYPE } from '../../shared/ces/avroTypes.ts';
import { logicalIdOf, type SampleEvent } from './sampleEvent.ts';
import { wireRow, wireText } from './wireText.ts';

/** Where an envelope stands among the segments of its event. */
export interface SegmentMark {
  readonly id: string;
  readonly index: number;
  readonly final: boolean;
}

/** The body of an Event Hubs event that carries a whole event in the encoding `JSON`. */
export function renderJson(event: SampleEvent, base: 0 | 1 = 0): Uint8Array {
  return jsonEnvelope(event, wholeEvent(event, base), JSON.stringify(jsonData(event)));
}

/** The body of an Event Hubs event that carries a whole event in the encoding `Binary`. */
export function renderAvro(event: SampleEvent, base: 0 | 1 = 0): Uint8Array {
  return avroEnvelope(event, wholeEvent(event, base), avroData(event));
}

/** The `Data` record as JSON text: what the segments of a JSON event join to. */
export function jsonData(event: SampleEvent): string {
  return JSON.stringify(dataOf(event));
}

/** The `Data` record as Avro bytes: what the segments of a Binary event join to. */
export function avroData(event: SampleEvent): Uint8Array {
  return DATA_TYPE.toBuffer(dataOf(event));
}

/** An envelope around `dataString`, which is the JSON string (quotes included) that holds the data or a fragment of it. */
export function jsonEnvelope(event: SampleEvent, mark: SegmentMark, dataString: string | Uint8Array): Uint8Array {
  const members = JSON.stringify(membersOf(event, mark)).replaceAll('/', '\\/');
  return Buffer.concat([Buffer.from(`${members.slice(0, -1)},"data":`), Buffer.from(dataString), Buffer.from('}')]);
}

export function avroEnvelope(event: SampleEvent, mark: SegmentMark, data: Uint8Array): Uint8Array {
  return CHANGE_EVENT_TYPE.toBuffer({ ...membersOf(event, mark), data: Buffer.from(data) });
}

function wholeEvent({ id }: SampleEvent, base: 0 | 1): SegmentMark {
  return { id, index: base, final: true };
}

function membersOf(event: SampleEvent, { id, index, final }: SegmentMark) {
  return {
    specversion: '1.0',
    type: 'com.microsoft.SQL.CES.DML.V1',
    source: '/',
    id,
    logicalid: logicalIdOf(event),
    time: event.time,
    datacontenttype: 'application/json',
    operation: event.operation,
    segmentindex: index,
    finalsegment: final,
  };
}

function dataOf(event: SampleEvent): AvroData {
  const { db, schema, tbl, columns, key } = event.table;
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  return {
    eventsource: {
      db,
      schema,
      tbl,
      cols: columns
        .map(({ name, type }, index) => ({ name, type, index }))
        .filter(({ name }) => event.sentColumns.includes(name)),
      pkkey: key.map((name) => ({
        columnname: name,
        value: wireText(event.keys[name] ?? null, types.get(name) ?? '') ?? '',
      })),
      transaction: {
        commitlsn: event.commitLsn,
        beginlsn: event.beginLsn,
        sequencenumber: event.sequenceNumber,
        finalevent: false,
        committime: event.time,
      },
    },
    eventrow: {
      old: JSON.stringify(wireRow(event.old ?? {}, event.table)),
      current: JSON.stringify(wireRow(event.current ?? {}, event.table)),
    },
  };
}
