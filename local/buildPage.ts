import './requireNode24.ts';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * `node local/buildPage.ts`: makes the module from which the app serves the page of what is in `page/`. The app is
 * deployed as a bundle, which has no files beside it: the page has to be in a module. A test says when it is not current.
 */
const ROOT = join(import.meta.dirname, '..');
export const PAGE_MODULE = join(ROOT, 'shared', 'operate', 'pageAssets.ts');
/** In the order of the cascade. */
const STYLES = ['tokens', 'base', 'frame', 'overview', 'tables', 'lists'];
const BROWSERS = ['chrome123', 'firefox120', 'safari17.5'];

/** The text of that module. */
export async function pageModule(): Promise<string> {
  const page = join(ROOT, 'page');
  const [script, style, markup] = await Promise.all([
    bundle({ entryPoints: [join(page, 'main.ts')], format: 'esm' }),
    bundle({
      stdin: {
        contents: STYLES.map((name) => `@import './${name}.css';`).join('\n'),
        loader: 'css',
        resolveDir: join(page, 'styles'),
      },
    }),
    readFile(join(page, 'index.html'), 'utf8'),
  ]);
  const constants = Object.entries({ MARKUP: markup, STYLE: style, SCRIPT: script });
  const lines = constants.map(([name, text]) => `export const ${name} =\n  ${literal(text)};`);
  const head = [
    '// Made by local/buildPage.ts of what is in page/: change that, not this.',
    '// biome-ignore-all lint: made by a machine for machines',
  ];
  return `${head.join('\n')}\n${lines.join('\n')}\n`;
}

async function bundle(options: Parameters<typeof build>[0]): Promise<string> {
  const { outputFiles = [] } = await build({
    ...options,
    bundle: true,
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    target: BROWSERS,
    tsconfigRaw: '{}',
    write: false,
  });
  return outputFiles.map(({ text }) => text.trim()).join('\n');
}

/** A string literal as the formatter writes it. */
function literal(text: string): string {
  const quote = text.split("'").length > text.split('"').length ? '"' : "'";
  const escaped = JSON.stringify(text).slice(1, -1);
  return quote === '"' ? `"${escaped}"` : `'${escaped.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

if (import.meta.main) await writeFile(PAGE_MODULE, await pageModule());
