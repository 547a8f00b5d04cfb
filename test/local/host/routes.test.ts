import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compareRoutes, matchRoute, parseRoute } from '../../../local/host/routes.ts';

const match = (template: string, path: string) => matchRoute(parseRoute(template), path);

describe('a route template', () => {
  test('parameters are taken from their segments, optional and default ones may be missing', () => {
    assert.deepEqual(
      [
        match('api/{a}/{b?}', '/api/x/y'),
        match('api/{a}/{b?}', '/api/x/'),
        match('api/{a}/{b=z}', '/api/x'),
        match('api/{a}/{b?}', '/api'),
        match('api/{a}/{b?}', '/api//y'),
        match('api/{a}', '/api/x/y'),
      ],
      [{ a: 'x', b: 'y' }, { a: 'x' }, { a: 'x', b: 'z' }, undefined, undefined, undefined],
    );
  });

  test('constraints are checked where they are known, and tolerated where not', () => {
    assert.deepEqual(
      [
        match('{id:int}', '/12'),
        match('{id:int}', '/x'),
        match('{id:guid}', '/0f8fad5b-d9cb-469f-a165-70867728950e'),
        match('{id:alpha:minlength(3)}', '/ab'),
        match('{id:regex(^x$)}', '/anything'),
      ],
      [{ id: '12' }, undefined, { id: '0f8fad5b-d9cb-469f-a165-70867728950e' }, { id: 'ab' }, { id: 'anything' }],
    );
  });

  test('the more specific template comes first', () => {
    const templates = ['api/{*rest}', 'api/{id}', 'api/{id:int}', 'api/health', 'api'];
    assert.deepEqual(
      templates
        .map(parseRoute)
        .sort(compareRoutes)
        .map(({ text }) => text),
      ['api', 'api/health', 'api/{id:int}', 'api/{id}', 'api/{*rest}'],
    );
  });

  test('what would be matched otherwise in Azure is refused', () => {
    for (const template of ['{a}-{b}', '{*rest}/more', '{a', '{}', 'x{a}']) {
      assert.throws(() => parseRoute(template), /not understood|must be the last/, template);
    }
  });
});
