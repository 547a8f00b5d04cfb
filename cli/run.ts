import { main } from './main.ts';
import { endWithReaders } from './terminal.ts';

endWithReaders(process.stdout, process.stderr);
process.exitCode = await main(process.argv.slice(2));
