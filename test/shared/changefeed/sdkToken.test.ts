import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exportToken, importToken } from '../../../shared/changefeed/sdkToken.ts';

const POSITION = {
  segment: 'idx/segments/2020/07/30/2300/meta.json',
  shards: [
    { shard: 'log/00/2020/07/30/2300/', chunk: 'log/00/2020/07/30/2300/00000.avro', offset: 96_253, events: 0 },
    { shard: 'log/02/2020/07/30/2300/', chunk: 'log/02/2020/07/30/2300/00001.avro', offset: 0, events: 7 },
  ],
};
const SHARDS = POSITION.shards.map(({ chunk, offset, events }) => ({
  CurrentChunkPath: chunk,
  BlockOffset: offset,
  EventIndex: events,
}));

function token(changes: object = {}, cursor: object = {}): unknown {
  return {
    CursorVersion: 1,
    UrlHost: 'acct.blob.core.windows.net',
    CurrentSegmentCursor: {
      SegmentPath: POSITION.segment,
      CurrentShardPath: 'log/02/2020/07/30/2300/',
      ShardCursors: SHARDS,
      ...cursor,
    },
    ...changes,
  };
}

const HOST = 'acct.blob.core.windows.net';

describe("the SDKs' continuation token", () => {
  test('comes back as it went out, every shard in it', () => {
    assert.deepEqual(importToken(JSON.parse(exportToken(POSITION, HOST)), HOST), POSITION);
  });

  test('goes out without an end time, for one SDK takes null for 1970', () => {
    assert.equal('EndTime' in JSON.parse(exportToken(POSITION, HOST)), false);
  });

  test('is taken from every SDK, with whatever end time', () => {
    const times = [null, '', '2020-07-31T00:00:00Z', '2020-07-31T00:00:00.000Z', '2020-07-31T00:00:00+00:00'];
    for (const EndTime of times) assert.deepEqual(importToken(token({ EndTime }), HOST), POSITION);
    assert.deepEqual(importToken(token(), HOST), POSITION);
  });

  test('is taken whatever the case, port and path of its host', () => {
    for (const UrlHost of ['ACCT.blob.core.windows.net', `${HOST}:443`, `${HOST}/acct`]) {
      assert.deepEqual(importToken(token({ UrlHost }), HOST), POSITION);
    }
    assert.deepEqual(importToken(token({ UrlHost: '127.0.0.1:45623/acct' }), '127.0.0.1'), POSITION);
  });

  test('may name no shard, or a shard without a chunk', () => {
    const ShardCursors = [{ CurrentChunkPath: '', BlockOffset: 0, EventIndex: 0 }];
    assert.deepEqual(importToken(token({}, { ShardCursors }), HOST), { ...POSITION, shards: [] });
    assert.deepEqual(importToken(token({}, { ShardCursors: null }), HOST), { ...POSITION, shards: [] });
  });

  test('is refused when it is of another account, of another version, or none', () => {
    const wrong: unknown[] = [
      token({ UrlHost: 'other.blob.core.windows.net' }),
      token({ CursorVersion: 2 }),
      token({}, { SegmentPath: 'idx/segments/1601/01/01/0000/meta.json' }),
      token({}, { ShardCursors: [{ CurrentChunkPath: '../secrets', BlockOffset: 0, EventIndex: 0 }] }),
      token({}, { ShardCursors: [{ ...SHARDS[0], BlockOffset: -1 }] }),
      { urlHash: 'x', segmentTime: 'y', chunkIndex: 0 },
      'text',
      null,
    ];
    for (const each of wrong) assert.throws(() => importToken(each, HOST), { name: 'FeedTokenError' });
  });
});
