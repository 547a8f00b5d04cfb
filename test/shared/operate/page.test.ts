import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { composePage, isCurrent } from '../../../shared/operate/page.ts';

const { html, headers, etag } = composePage();
const policy = headers['Content-Security-Policy'] ?? '';

function inlined(tag: string): string {
  return new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, 's').exec(html)?.[1] ?? '';
}

describe('the page', () => {
  test('may run its own script and style and nothing else', () => {
    const hash = (tag: string) => `'sha256-${createHash('sha256').update(inlined(tag)).digest('base64')}'`;
    assert.deepEqual(policy.split('; ').sort(), [
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      'img-src data:',
      "require-trusted-types-for 'script'",
      `script-src ${hash('script')}`,
      `style-src ${hash('style')}`,
      "trusted-types 'none'",
    ]);
    assert.deepEqual([html.split('<script').length, html.split('<style').length], [2, 2]);
  });

  test('is whole: it loads nothing and holds no inline handlers or styles', () => {
    const markup = html.replace(inlined('script'), '').replace(inlined('style'), '');
    assert.deepEqual(markup.match(/(src|href)="(?!#|data:)[^"]*"|\son\w+=|\sstyle=/g), null);
    assert.deepEqual(inlined('style').match(/url\(|@import/g), null);
    assert.deepEqual(inlined('script').match(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/g), null);
  });

  test('is asked for again each time, and sent again only when it is another one', () => {
    assert.equal(headers['Cache-Control'], 'no-cache');
    assert.deepEqual(
      [null, '"other"', etag, `W/${etag}`, `"a", ${etag}`, '*'].map((value) => isCurrent(value, etag)),
      [false, false, true, true, true, true],
    );
  });
});
