import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', '..', path), 'utf8');

describe('azd', () => {
  const project = read('azure.yaml');

  test('uploads the folder that the bundle is written to, as it is', () => {
    const [, folder = ''] = /^ +dist: (\S+)$/m.exec(project) ?? [];
    assert.ok(read('local/bundle/build.ts').includes(`'${folder}'`));
    assert.ok(read('.gitignore').includes(`${folder}/`));
    assert.match(project, /^ +remoteBuild: false$/m);
    const [, script = ''] = /run: npm run (\S+) \}/.exec(project) ?? [];
    assert.ok(Object.keys(JSON.parse(read('package.json')).scripts).includes(script));
  });

  test('leaves out nothing that the bundle consists of', () => {
    const kept = read('.funcignore').split('\n');
    for (const pattern of ['!dist/', '!dist/**', '!host.json', '!package.json'])
      assert.ok(kept.includes(pattern), pattern);
  });

  test('finds the app by the tag that Bicep gives it', () => {
    const [, service = ''] = /^services:\n {2}(\S+):$/m.exec(project) ?? [];
    assert.ok(read('infra/modules/functionApp.bicep').includes(`'azd-service-name': '${service}'`));
  });
});
