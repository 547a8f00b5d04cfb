import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { readConfig, SETTING_NAMES } from '../../shared/config.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Dotted names of all values, for instance `extensions.http.routePrefix`. */
function* leaves(value: unknown, path: readonly string[] = []): Generator<string> {
  if (typeof value !== 'object' || value === null) yield path.join('.');
  else for (const [name, member] of Object.entries(value)) yield* leaves(member, [...path, name]);
}

describe('the documentation', () => {
  const configuration = read('docs/configuration.md');

  test('gives a reason for each setting of host.json, and for no other', () => {
    const settings = [...leaves(JSON.parse(read('host.json')))];
    const [hostPart = ''] = configuration.split('\n## App settings');
    const described = [...hostPart.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
    assert.deepEqual(described.sort(), settings.sort());
  });

  test('describes each app setting of the code, of the sample and of the deployment', () => {
    const sample = Object.keys(JSON.parse(read('local.settings.sample.json')).Values);
    const bicep = [...read('infra/modules/appSettings.bicep').matchAll(/^ +([A-Z][A-Za-z_]+): /gm)].map(
      ([, name]) => name ?? '',
    );
    assert.ok(bicep.includes('AZURE_CLIENT_ID') && bicep.includes('CES__clientId'));
    const missing = [...new Set([...SETTING_NAMES, ...sample, ...bicep])].filter(
      (name) => !configuration.includes(`\`${name}\``),
    );
    assert.deepEqual(
      missing.filter((name) => name !== 'CES' && name !== 'CHANGEFEED'),
      [],
    );
  });

  test('tells the defaults as they are', () => {
    const sample: Record<string, string> = JSON.parse(read('local.settings.sample.json')).Values;
    for (const name of Object.keys(JSON.parse(read('infra/settings.json')))) {
      assert.ok(
        configuration.includes(`| \`${name}\` | ${sample[name]} |`) ||
          configuration.includes(`| \`${name}\` | \`${sample[name]}\` |`),
        name,
      );
    }
  });

  test('shows streams that the app accepts', () => {
    for (const path of globSync('docs/sources/*.md', { cwd: ROOT })) {
      const examples = [...read(path).matchAll(/```json\n(.*?)```/gs)].map(([, text]) => text ?? '');
      assert.ok(examples.length > 0, path);
      for (const STREAMS of examples) {
        const settings = { STREAMS, COSMOS_ENDPOINT: 'https://a.example', AzureWebJobsStorage__accountName: 'a' };
        assert.doesNotThrow(() => readConfig(settings), path);
      }
    }
  });

  test('links to files that there are', () => {
    for (const path of ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })]) {
      const links = [...read(path).matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link ?? '');
      for (const link of links.filter((each) => !each.startsWith('http'))) {
        assert.ok(existsSync(join(ROOT, dirname(path), link)), `${link} in ${path}`);
      }
    }
  });
});
