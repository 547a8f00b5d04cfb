import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decode } from '../../cli/decode.ts';
import { gunzipped } from '../../cli/gunzip.ts';
import { avroBlock, avroHeader } from '../../local/changefeed/avroFile.ts';
import { BlobAccount } from '../../local/changefeed/blobAccount.ts';
import { feedSchema, feedType } from '../../local/changefeed/feedSchema.ts';
import { EMPLOYEE_8, EMPLOYEE_8_INSERT } from '../../local/samples/employee8.ts';
import { renderAvro, renderJson } from '../../local/samples/render.ts';
import { splitEvent } from '../../local/samples/splitEvent.ts';
import { UnprocessableError } from '../../shared/ingest/reasons.ts';
import { type CliFolder, openCliFolder } from './runCli.ts';

let folder: CliFolder;
before(async () => {
  folder = await openCliFolder();
});
after(() => folder.close());

interface Decoded {
  readonly format: string;
  readonly changes: readonly { readonly op: string; readonly table: string }[];
  readonly errors: readonly { readonly reason: string }[];
}

async function decodeFile(content: Uint8Array | string, ...options: string[]): Promise<[number, Decoded]> {
  const path = await folder.file('input', content);
  const { code, output } = await folder.run(decode, [path, '--json', ...options]);
  return [code, JSON.parse(output)];
}

const summaryOf = ({ format, changes }: Decoded) => [format, ...changes.map(({ op, table }) => `${op} ${table}`)];
const EMPLOYEES = 'ces/file/EmployeesDb.dbo.Employees';

describe('decoding a file without a store', () => {
  test('reads CES in JSON, several events in a file, and in Avro', async () => {
    const lines = Buffer.concat(EMPLOYEE_8.flatMap((event) => [renderJson(event), Buffer.from('\n')]));
    const [code, decoded] = await decodeFile(lines);
    const expected = ['ces', `insert ${EMPLOYEES}`, `update ${EMPLOYEES}`, `delete ${EMPLOYEES}`];
    assert.deepEqual([code, summaryOf(decoded)], [0, expected]);
    const [, avro] = await decodeFile(renderAvro(EMPLOYEE_8_INSERT), '--stream', 'sales');
    assert.deepEqual(summaryOf(avro), ['ces', `insert ces/sales/EmployeesDb.dbo.Employees`]);
  });

  test('puts the segments of a split event in a file together, and says which are there where some lack', async () => {
    const pieces = splitEvent(EMPLOYEE_8_INSERT, { encoding: 'json', base: 0, segments: 3 });
    const file = (bodies: readonly Uint8Array[]) => Buffer.concat(bodies.flatMap((body) => [body, Buffer.from('\n')]));
    const [, whole] = await decodeFile(file(pieces));
    assert.deepEqual(summaryOf(whole), ['ces', `insert ${EMPLOYEES}`]);
    const [code, part] = await decodeFile(file(pieces.slice(1)), '--format', 'ces');
    assert.deepEqual([code, part.changes, part.errors[0]?.reason], [1, [], 'segment-timeout']);
  });

  test('reads a chunk of a change feed', async () => {
    const account = new BlobAccount(new Date('2026-08-07T10:00:00Z'), 6);
    const events = [account.put('pictures', 'a.jpg', { contentLength: 7 }), account.delete('pictures', 'b.jpg')];
    const chunk = Buffer.concat([avroHeader(feedSchema(6)), avroBlock(feedType(6), events)]);
    const [code, decoded] = await decodeFile(chunk);
    assert.deepEqual([code, summaryOf(decoded)], [0, ['blob', 'upsert blob/file/blobs', 'delete blob/file/blobs']]);
  });

  test('reads GoldenGate and Qlik, as far as a record tells its key', async () => {
    const goldengate = {
      qual_table: 'S.T',
      op_type: 'U',
      op_ts: '2026-08-07T10:00:00.000000Z',
      pos: 'G-1',
      primary_keys: ['ID'],
      after: { ID: 1, NAME: 'x' },
    };
    const [, one] = await decodeFile(JSON.stringify([goldengate]));
    assert.deepEqual(summaryOf(one), ['goldengate', 'update goldengate/file/S.T']);
    const { primary_keys: _, ...keyless } = goldengate;
    const [code, two] = await decodeFile(JSON.stringify(keyless), '--format', 'goldengate');
    assert.deepEqual([code, two.errors[0]?.reason], [1, 'no-key']);
    const qlik = {
      magic: 'atMSG',
      type: 'DT',
      headers: null,
      messageSchemaId: null,
      messageSchema: null,
      message: {
        data: { ID: 7 },
        beforeData: null,
        headers: { operation: 'INSERT', changeSequence: '20260807163510830000000000000000009' },
      },
    };
    const [, three] = await decodeFile(JSON.stringify(qlik));
    assert.deepEqual(summaryOf(three), ['qlik', 'insert qlik/file/unknown']);
  });

  test('reads what is in gzip as what it is, by its bytes and not by its name', async () => {
    const record = { table: 'S.T', op_type: 'I', op_ts: '2026-08-07 10:00:00', primary_keys: ['ID'], after: { ID: 1 } };
    const sent: readonly (Uint8Array | string)[] = [
      JSON.stringify(record),
      renderJson(EMPLOYEE_8_INSERT),
      renderAvro(EMPLOYEE_8_INSERT),
    ];
    for (const content of sent) {
      const [code, plain] = await decodeFile(content);
      assert.deepEqual([code, plain.changes.length], [0, 1]);
      assert.deepEqual(await decodeFile(gzipSync(content)), [0, plain]);
      // Files of gzip may follow each other.
      const { length } = content;
      const halves = [content.slice(0, length / 2), content.slice(length / 2)].map((half) => gzipSync(half));
      assert.deepEqual(await decodeFile(Buffer.concat(halves)), [0, plain]);
    }
  });

  test('says of broken gzip, and of one that holds too much, what is wrong', async () => {
    const zipped = gzipSync(JSON.stringify({ table: 'S.T' }));
    const broken = Buffer.from(zipped);
    broken[12] = ~(broken[12] ?? 0);
    for (const content of [zipped.subarray(0, 20), zipped.subarray(0, 2), broken]) {
      const [code, { changes, errors }] = await decodeFile(content);
      const reason = { reason: 'undecodable', detail: 'its gzip is broken or cut off' };
      assert.deepEqual([code, changes, errors], [1, [], [reason]]);
    }
    const bomb = await gunzipped(gzipSync(Buffer.alloc(1_001)), 1_000);
    assert.ok(bomb instanceof UnprocessableError);
    assert.deepEqual([bomb.reason, bomb.message], ['undecodable', 'it is over 1000 bytes out of its gzip']);
  });

  test('says of anything else why it is none', async () => {
    const [code, { changes, errors }] = await decodeFile('hello');
    assert.deepEqual([code, changes, errors.length > 0], [1, [], true]);
    await assert.rejects(folder.run(decode, []), { name: 'UsageError' });
    await assert.rejects(folder.run(decode, ['x', '--format', 'xml']), { name: 'UsageError' });
  });
});
