import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { generatedFiles } from '../../local/infra/generated.ts';

const ROOT = join(import.meta.dirname, '..', '..');

describe('the files that tell Bicep what the code says', () => {
  for (const [path, value] of Object.entries(generatedFiles())) {
    test(`${path} is current (npm run infra:generate writes it)`, () => {
      assert.deepEqual(JSON.parse(readFileSync(join(ROOT, path), 'utf8')), value);
    });
  }
});
