/** Run as a process of its own by a test that kills it: starts a host for the folder given and prints the app's pid. */
import { startFunctionsHost } from '../../../local/host/host.ts';

const host = await startFunctionsHost({ appRoot: process.argv[2] ?? '', settings: {}, functionKey: 'k' });
console.log(host.appPid);
