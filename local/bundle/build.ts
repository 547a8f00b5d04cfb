import '../requireNode24.ts';
import { join } from 'node:path';
import { bundle } from './bundle.ts';

/** `npm run bundle`: the deployable app in dist-bundle/, as azure.yaml has it. */
const folder = join(import.meta.dirname, '..', '..', 'dist-bundle');
await bundle(folder);
console.log(`the deployable app is in ${folder}`);
