import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { segmentPath } from '../../../shared/changefeed/feedPaths.ts';
import { segmentsIn } from '../../../shared/changefeed/segmentIndex.ts';
import { collect } from './collect.ts';
import { MemorySource } from './memorySource.ts';

const MS_PER_HOUR = 3_600_000;
const INITIAL = 'idx/segments/1601/01/01/0000/meta.json';

function paths(...begins: string[]): string[] {
  return begins.map((begin) => segmentPath(new Date(begin)));
}

async function list(source: MemorySource, after: string | undefined, through: string): Promise<string[]> {
  return collect(segmentsIn(source, { after, through: new Date(through) }));
}

describe('the index of segments', () => {
  test('is read to the minute, without the initial segment, up to the last that may be read', async () => {
    const all = paths(
      '2019-02-22T18:10Z',
      '2019-02-22T19:10Z',
      '2019-02-23T01:10Z',
      '2019-02-23T01:15Z',
      '2019-02-23T01:30Z',
    );
    const source = MemorySource.ofNames([INITIAL, ...all, 'idx/segments/2019/02/22/1810/other.json']);
    assert.deepEqual(await list(source, undefined, '2019-02-23T01:15Z'), all.slice(0, 4));
    assert.deepEqual(await list(source, all[0], '2019-02-23T01:15Z'), all.slice(1, 4));
    assert.deepEqual(await list(source, all[1], '2019-02-23T01:10Z'), all.slice(2, 3));
    assert.deepEqual(await list(MemorySource.ofNames([INITIAL]), undefined, '2019-02-23T01:10Z'), []);
  });

  test('is complete across days, months and years without segments', async () => {
    const all = paths(
      '2019-12-31T23:00Z',
      '2020-01-01T00:00Z',
      '2020-02-29T05:00Z',
      '2020-03-01T00:00Z',
      '2023-06-15T12:30Z',
      '2025-01-31T23:45Z',
      '2025-12-01T00:00Z',
    );
    const source = MemorySource.ofNames([INITIAL, ...all]);
    for (let from = 0; from < all.length; from++) {
      for (let to = from; to < all.length; to++) {
        const through = (all[to] ?? '').replace(/.*segments\/(\d+)\/(\d+)\/(\d+)\/(\d\d)(\d\d).*/, '$1-$2-$3T$4:$5Z');
        assert.deepEqual(await list(source, all[from], through), all.slice(from + 1, to + 1));
        assert.deepEqual(await list(source, undefined, through), all.slice(0, to + 1));
      }
    }
  });

  test('of ten years of hours costs a tick no more than one of a day', async () => {
    const newest = Date.parse('2026-08-07T18:00:00Z');
    const hours = Array.from({ length: 87_600 }, (_, index) => segmentPath(new Date(newest - index * MS_PER_HOUR)));
    const source = MemorySource.ofNames([INITIAL, ...hours]);
    assert.deepEqual(await list(source, hours[1], '2026-08-07T18:00:00Z'), [hours[0]]);
    assert.deepEqual(source.requests, ['list idx/segments/2026/08/07/']);
    assert.equal(source.listed, 19);
  });

  test('is listed no further than it is asked for', async () => {
    const source = MemorySource.ofNames(paths('2020-01-01T00:00Z', '2021-01-01T00:00Z', '2022-01-01T00:00Z'));
    const range = { after: undefined, through: new Date('2022-01-01T00:00:00Z') };
    for await (const _ of segmentsIn(source, range)) break;
    assert.deepEqual(source.requests, ['folders idx/segments/', 'list idx/segments/2020/']);
  });
});
