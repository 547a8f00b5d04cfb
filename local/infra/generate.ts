import '../requireNode24.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFiles } from './generated.ts';

/** `npm run infra:generate`: writes the files in infra/ that follow from the code. */
for (const [path, value] of Object.entries(generatedFiles())) {
  writeFileSync(join(import.meta.dirname, '..', '..', path), `${JSON.stringify(value, null, 2)}\n`);
  console.log(`wrote ${path}`);
}
